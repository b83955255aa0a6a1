/** `improve` at the command line: a planted defect is found, mended, certified and, when asked for, applied; a gain that costs too much is none. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { needs } from '../../require.ts'
import { jsonLines } from '../bench/benched.ts'
import { broken, type Crew, mended, mends, openWorld, proposer, sdk } from './improving.ts'

const scriptOf = (folder: string) => readFileSync(path.join(folder, 'scripts/add.sh'), 'utf8')

test('a defect in the script is mended and certified; the skill changes only with --apply, after a yes, and not if it was edited since', async () => {
  await using world = await openWorld(mends)
  const end = await world.improveInProcess()
  expect(end.code, end.stderr + end.stdout).toBe(0)
  const history = world.history()
  expect(history).toMatchObject({ current_best: 'v1', certification: { result: 'won' } })
  expect(end.stdout.replaceAll('\n', ' ')).toMatch(
    /Better: pass rate 100% with v1, 0% with v0: \+100 points, 95% CI \[\d+, 100\], one-sided p < 0\.001 \(10 cases, 20 runs\)\. /,
  )
  expect(end.stdout).toMatch(/v0 +0% +\d+% +baseline\n *v1 \* +v0 +100% +\d+% +better/)
  expect(end.stdout).toMatch(/edits: 1 kept, 0 tried and not kept, \d+ refused before any run/)
  expect(end.stdout).toMatch(/\+\d+ +1\.1\.1 +mends the script/)
  expect(scriptOf(world.skill)).toBe(broken)

  const asked = await world.improveInProcess(['--resume', '--apply', '--json'])
  expect(jsonLines(asked.stdout)).toEqual([expect.objectContaining({ type: 'error', exit_code: 2 })])
  expect([asked.code, scriptOf(world.skill)]).toEqual([2, broken])
  expect(asked.stderr).toContain('cannot ask for confirmation')

  const before = world.requests
  const script = path.join(world.skill, 'scripts/add.sh')
  writeFileSync(script, '# mine\n')
  const edited = await world.improveInProcess(['--resume', '--apply', '--yes'])
  expect([edited.code, scriptOf(world.skill)]).toEqual([2, '# mine\n'])
  expect(edited.stderr).toContain('changed since')

  writeFileSync(script, broken)
  const applied = await world.improveInProcess(['--resume', '--apply', '--yes'])
  expect(applied.code, applied.stderr).toBe(0)
  expect(applied.stdout).toMatch(/-echo "sum: \$\(\(a - b\)\)"\n\+echo "sum: \$\(\(a \+ b\)\)"/)
  expect([scriptOf(world.skill), world.requests, world.history()]).toEqual([mended, before, history])
  const [backup = ''] = readdirSync(path.join(world.workspace, 'backups'))
  expect(scriptOf(path.join(world.workspace, 'backups', backup))).toBe(broken)
  expect(existsSync(path.join(world.skill, 'evals/evals.json'))).toBe(true)
})

needs(
  'bubblewrap that works',
  (await probeSandbox(process.env.PATH ?? '')).ok,
  'apt-get install bubblewrap',
)('in the sandbox', () => {
  test('a proposer finds no suite: neither held-out cases nor their answers', async () => {
    const copies = proposer('looks around', {
      command:
        'mkdir adder/references; grep -r "" / --include=evals.json 2>/dev/null | head -3 > adder/references/found.txt',
    })
    await using world = await openWorld(copies, 6)
    await world.improveInProcess(['--total-runs', '12', '--sandbox', 'required'])
    const found = path.join(world.workspace, 'proposals/1-1/outputs/change-1/adder/references/found.txt')
    expect(readFileSync(found, 'utf8')).toBe('')
  })
})

describe('a version that mends the script and has the agent do all of it five times more', () => {
  const again = String.raw`
  - name: checks it again
    when:
      user: '^What is (?<a>\d+) plus (?<b>\d+)'
      result: 'Check it often'
      called: '(?<folder>[^"\s]+)/SKILL\.md'
      turn: { min: 3, max: 7 }
    tool_calls: [{ name: [Bash], input: { command: 'sh {{folder}}/scripts/add.sh {{a}} {{b}}' } }]
  - name: answers at last
    when: { user: '^What is', turn: 8 }
    text: 'It is {{lastResult}}'
`
  const priced: Crew = { ...sdk, engine: 'anthropic:opus', agent: again + sdk.agent }
  const long = proposer('mends and doubts', {
    command: "sed -i 's/a - b/a + b/' adder/scripts/add.sh; echo 'Check it often.' >> adder/SKILL.md",
  })
  test.each([
    ['is no win: it costs too much', [], 'tie', /^cost × \d/],
    ['control: wins where that may be', ['--max-cost-increase', '1000'], 'won', /^statistically significant/],
  ] as const)('%s', async (_, flags, result, reason) => {
    await using world = await openWorld(long, 6, {}, priced)
    const end = await world.improveInProcess(['--total-runs', '24', '--max-time-increase', '1000', ...flags])
    expect(end.code, end.stderr).toBe(0)
    const { certification, current_best } = world.history()
    expect(certification).toMatchObject({ result, reason: expect.stringMatching(reason) })
    expect(current_best).toBe(result === 'won' ? 'v1' : 'v0')
  })
})

describe('what still fails is told by kind', () => {
  const idle = proposer('says please', { command: 'echo "Please add with care." >> adder/SKILL.md' })
  const reads = String.raw`
  - name: reads the skill
    when: { user: '^What is', system: 'file: (?<file>\S+SKILL\.md)', turn: 1 }
    tool_calls: [{ name: [Read], input: { file_path: '{{file}}' } }]
`
  const speaks = `
  - name: speaks
    when: { user: '^What is' }
    text: I can not add.
`
  const fails = `
  - name: calls what is not there
    when: { user: '^What is', turn: 2 }
    tool_calls: [{ name: [Bash], input: { command: 'exit 7' } }]
`
  const checks = [{ type: 'file_exists', path: 'sum.txt' }]
  const evals = [1, 2, 3, 4, 5, 6].map((id) => ({ id, prompt: `What is ${id} plus 9000?`, checks }))
  const ofFiles = { 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals }) }
  test.each<[string, string, Record<string, string>]>([
    ['the skill was not read', speaks, {}],
    ['a tool failed', reads + fails + speaks, {}],
    ['no file was written', reads + speaks, ofFiles],
  ])('%s', async (kind, agent, files) => {
    await using world = await openWorld(idle, 6, files, { ...sdk, agent })
    const end = await world.improveInProcess(['--total-runs', '12'])
    expect(end.code, end.stderr).toBe(0)
    expect(world.history().stopped?.failures?.map((one) => one.kind)).toEqual([kind])
    expect(end.stdout).toContain(`still failing in training: ${kind}`)
  })
})

describe('refused before anything runs', () => {
  test.each<[readonly string[], RegExp]>([
    [['--resume'], /no session to resume/],
    [['--total-runs', '4'], /--total-runs 4: too few to search and to certify/],
    [['--runs', '3'], /unknown option: "--runs"[\s\S]*--total-runs limits the runs/],
    [['--max-loss', '5'], /--max-loss without --goal cheaper/],
    [['--goal', 'faster'], /--goal.*"faster"[\s\S]*better, cheaper/],
    [['--grow-suite', '--apply'], /--grow-suite with --apply/],
    [['--grow-suite', '--use-drafts'], /--grow-suite with --use-drafts/],
    [['--set', 'x.json', '--among=y'], /--set, --among without --description/],
  ])('%j', async (flags, said) => {
    await using world = await openWorld(mends, 6)
    const end = await world.improveInProcess(flags)
    expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(said)])
    expect([world.requests, existsSync(world.workspace)]).toEqual([0, false])
  })

  test('a suite of one case', async () => {
    await using world = await openWorld(mends, 1)
    const end = await world.improveInProcess()
    expect([end.code, end.stderr, world.requests]).toEqual([2, expect.stringContaining('at least 2 cases'), 0])
  })
})

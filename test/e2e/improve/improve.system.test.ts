/** `improve` at the command line: a planted defect is found, mended, certified and, when asked for, applied. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { needs } from '../../require.ts'
import { broken, mended, mends, openWorld, proposer } from './improving.ts'

const scriptOf = (folder: string) => readFileSync(path.join(folder, 'scripts/add.sh'), 'utf8')

describe('a defect in the script', () => {
  test('is mended and certified; the skill changes only with --apply, after a yes', async () => {
    await using world = await openWorld(mends)
    const end = await world.improveInProcess()
    expect(end.code, end.stderr + end.stdout).toBe(0)
    const history = world.history()
    expect(history).toMatchObject({ current_best: 'v1', certification: { result: 'won' } })
    expect(end.stdout.replaceAll('\n', ' ')).toMatch(
      /Better: pass rate 100% with v1, 0% with v0: \+100 points, 95% CI \[\d+, 100\], one-sided p < 0\.001 \(10 cases, 20 runs\)\. /,
    )
    expect(end.stdout).toMatch(/v0 +0% +held-out +baseline\n *v1 \* +v0 +100% +held-out +better/)
    expect(end.stdout).toMatch(/edits: 1 kept, 0 tried and not kept, \d+ refused before any run/)
    expect(end.stdout).toMatch(/\+\d+ +1\.1\.1 +mends the script/)
    expect(scriptOf(world.skill)).toBe(broken)
    const asked = await world.improveInProcess(['--resume', '--apply', '--json'])
    expect(
      asked.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([expect.objectContaining({ type: 'error', exit_code: 2 })])
    expect([asked.code, scriptOf(world.skill)]).toEqual([2, broken])
    expect(asked.stderr).toContain('cannot ask for confirmation')
    const before = world.requests
    const applied = await world.improveInProcess(['--resume', '--apply', '--yes'])
    expect(applied.code, applied.stderr).toBe(0)
    expect(applied.stdout).toMatch(/-echo "sum: \$\(\(a - b\)\)"\n\+echo "sum: \$\(\(a \+ b\)\)"/)
    expect([scriptOf(world.skill), world.requests, world.history()]).toEqual([mended, before, history])
    const [backup = ''] = readdirSync(path.join(world.workspace, 'backups'))
    expect(scriptOf(path.join(world.workspace, 'backups', backup))).toBe(broken)
    expect(existsSync(path.join(world.skill, 'evals/evals.json'))).toBe(true)
  })

  test('a skill that was edited since is not overwritten', async () => {
    await using world = await openWorld(mends, 6)
    await world.improveInProcess()
    writeFileSync(path.join(world.skill, 'scripts/add.sh'), '# mine\n')
    const end = await world.improveInProcess(['--resume', '--apply', '--yes'])
    expect([end.code, scriptOf(world.skill)]).toEqual([2, '# mine\n'])
    expect(end.stderr).toContain('changed since')
  })
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

test('a small suite: the result holds for these cases, and says what a wider claim needs', async () => {
  await using world = await openWorld(mends, 6)
  const end = await world.improveInProcess()
  const said = end.stdout.replaceAll('\n', ' ')
  expect(said).toMatch(/This holds for these cases\./)
  expect(said).toMatch(/a result holds for these cases only \(a claim about similar cases needs 12 cases or more\)/)
  expect(end.stderr).toMatch(/Chance that the\s+certification shows a true gain of 10 points: \d+%, of 20 points: \d+%/)
})

describe('refused before anything runs', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['one case', ['--suite', 'ONE'], /at least 2 cases/],
    ['--resume without a session', ['--resume'], /no session to resume/],
    ['too few runs', ['--total-runs', '4'], /--total-runs 4: too few to search and to certify/],
    ['a flag of --description', ['--iterations', '3'], /--iterations without --description/],
    ['runs of --description', ['--runs', '3'], /--runs without --description[\s\S]*--total-runs limits the runs/],
    ['a loss without its goal', ['--max-loss', '5'], /--max-loss without --goal cheaper/],
    ['an unknown goal', ['--goal', 'faster'], /--goal.*"faster"[\s\S]*better, cheaper/],
  ])('%s', async (_, flags, said) => {
    await using world = await openWorld(mends, 6)
    const one = path.join(world.skill, 'evals/one.json')
    writeFileSync(
      one,
      JSON.stringify({
        skill_name: 'adder',
        evals: [{ id: 1, prompt: 'x', checks: [{ type: 'contains', value: 'x' }] }],
      }),
    )
    const end = await world.improveInProcess(flags.map((flag) => (flag === 'ONE' ? one : flag)))
    expect(end.code).toBe(2)
    expect(end.stderr).toMatch(said)
    expect([world.requests, existsSync(world.workspace)]).toEqual([0, false])
  })

  test('a second session while one has not ended, and other flags on a resume', async () => {
    await using world = await openWorld(mends, 6)
    const first = await world.improveInProcess(['--budget-tokens', '500'])
    expect([first.code, world.history().stopped?.reason]).toEqual([3, 'budget'])
    expect(first.stdout).toMatch(/NOT ENDED[\s\S]*No version was found yet\./)
    const again = await world.improveInProcess()
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('unfinished session')])
    const other = await world.improveInProcess(['--resume', '--seed', '2'])
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('seed is different from')])
  })
})

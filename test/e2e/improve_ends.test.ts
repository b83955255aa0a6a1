/** How sessions of `improve` end: at a plateau, without headroom, and for a gain that costs too much; what fails is told by kind. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { type Crew, evals, mended, mends, openWorld, proposer, sdk } from './improving.ts'

vi.setConfig({ testTimeout: 240_000 })

test('four proposals in a row that come to nothing are a plateau, though more iterations are left', async () => {
  const idle = proposer('says please', { command: 'echo "Please add with care." >> adder/SKILL.md' })
  await using world = await openWorld(idle, 6)
  const end = await world.improve(['--iterations', '9', '--apply', '--yes'])
  expect(end.code, end.stderr).toBe(0)
  const { iterations, refused = [], stopped, current_best } = world.history()
  expect([stopped?.reason, iterations.length - 1 + refused.length, current_best]).toEqual(['plateau', 4, 'v0'])
  expect(end.stdout).toContain('Nothing to apply: v0 is the best')
})

test('where less is left to gain than can be found, no proposal is paid for', async () => {
  // one statement of ten is missed
  const ten = evals(6, () => ['It', 'i', 's', 'su', 'sum', 'sum:', ':', 'um', 'by heart'])
  const files = { 'scripts/add.mjs': mended, 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals: ten }) }
  await using world = await openWorld(mends, 6, files)
  const end = await world.improve()
  expect(end.code, end.stderr).toBe(0)
  expect(world.history()).toMatchObject({
    headroom: { enough: false, pass_rate: 0.9 },
    stopped: { reason: 'no_headroom' },
  })
  expect(existsSync(path.join(world.workspace, 'proposals'))).toBe(false)
  expect(end.stdout).toMatch(/Nothing was tried[\s\S]*there is no room for one/)
})

describe('a version that mends the script and has the agent do all of it five times more', () => {
  const again = String.raw`
  - name: checks it again
    when:
      user: '^What is (?<a>\d+) plus (?<b>\d+)'
      result: 'Check it often'
      called: '(?<folder>[^"\s]+)/SKILL\.md'
      turn: { min: 3, max: 7 }
    tool_calls: [{ name: [Bash], input: { command: 'node {{folder}}/scripts/add.mjs {{a}} {{b}}' } }]
  - name: answers at last
    when: { user: '^What is', turn: 8 }
    text: 'It is {{lastResult}}'
`
  const priced: Crew = { ...sdk, engine: 'anthropic:opus', agent: again + sdk.agent }
  const long = proposer('mends and doubts', {
    command: "sed -i 's/a - b/a + b/' adder/scripts/add.mjs; echo 'Check it often.' >> adder/SKILL.md",
  })
  test.each([
    ['is no win: it costs too much', [], 'lost', /\+100 points, but cost × \d/],
    ['control: wins where that may be', ['--max-cost-increase', '1000'], 'won', /\+100 points, p/],
  ] as const)('%s', async (_, flags, result, reason) => {
    await using world = await openWorld(long, 6, {}, priced)
    const end = await world.improve(['--iterations', '1', '--max-time-increase', '1000', ...flags])
    expect(end.code, end.stderr).toBe(0)
    const { iterations, current_best } = world.history()
    expect(iterations[1]).toMatchObject({ grading_result: result, gate: { stage: 'validation' } })
    expect(iterations[1]?.gate?.reason).toMatch(reason)
    expect(current_best).toBe(result === 'won' ? 'v1' : 'v0')
  })
})

describe('what still fails is told by kind', () => {
  const idle = proposer('says please', { command: 'echo "Please add with care." >> adder/SKILL.md' })
  const answering = (rules: string): Crew => ({ ...sdk, agent: rules })
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
  const file = [1, 2, 3, 4, 5, 6].map((id) => ({
    ...{ id, prompt: `What is ${id} plus 9000?`, checks: [{ type: 'file_exists', path: 'sum.txt' }] },
  }))
  test.each<[string, string, object[] | null]>([
    ['the skill was not read', speaks, null],
    ['the outcome was wrong', reads + speaks, null],
    ['a tool failed', reads + fails + speaks, null],
    ['no file was made', reads + speaks, file],
  ])('%s', async (kind, rules, cases) => {
    const files: Record<string, string> =
      cases === null ? {} : { 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals: cases }) }
    await using world = await openWorld(idle, 6, files, answering(rules))
    const end = await world.improve(['--iterations', '1'])
    expect(end.code, end.stderr).toBe(0)
    expect(world.history().stopped?.failures?.map((one) => one.kind)).toEqual([kind])
    expect(end.stdout).toContain(`still failing in training: ${kind}`)
  })
})

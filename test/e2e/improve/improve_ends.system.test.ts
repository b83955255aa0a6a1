/** How sessions of `improve` end for a gain that costs too much, and what still fails, by kind. */
import { describe, expect, test } from 'vitest'
import { type Crew, openWorld, proposer, sdk } from './improving.ts'

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
    ['is no win: it costs too much', [], 'lost', /^cost × \d/],
    ['control: wins where that may be', ['--max-cost-increase', '1000'], 'won', /^statistically significant/],
  ] as const)('%s', async (_, flags, result, reason) => {
    await using world = await openWorld(long, 6, {}, priced)
    const end = await world.improveInProcess(['--total-runs', '40', '--max-time-increase', '1000', ...flags])
    expect(end.code, end.stderr).toBe(0)
    const { certification, current_best } = world.history()
    expect(certification).toMatchObject({ result, reason: expect.stringMatching(reason) })
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
    ['no file was written', reads + speaks, file],
  ])('%s', async (kind, rules, cases) => {
    const files: Record<string, string> =
      cases === null ? {} : { 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals: cases }) }
    await using world = await openWorld(idle, 6, files, answering(rules))
    const end = await world.improveInProcess(['--total-runs', '12'])
    expect(end.code, end.stderr).toBe(0)
    expect(world.history().stopped?.failures?.map((one) => one.kind)).toEqual([kind])
    expect(end.stdout).toContain(`still failing in training: ${kind}`)
  })
})

/** How sessions of `improve` end: at a plateau, without headroom, and for a gain that costs too much; what fails is told by kind. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { Iteration } from '../../../schemas/history.ts'
import { broken, type Crew, evals, mended, mends, openWorld, proposer, sdk, type World } from './improving.ts'

vi.setConfig({ testTimeout: 240_000 })

test('four proposals in a row that come to nothing are a plateau, though more iterations are left', async () => {
  const idle = proposer('says please', { command: 'echo "Please add with care, $(date +%s%N)." >> adder/SKILL.md' })
  await using world = await openWorld(idle, 6)
  const end = await world.improve(['--iterations', '9', '--apply', '--yes'])
  expect(end.code, end.stderr).toBe(0)
  const { iterations, refused = [], stopped, current_best } = world.history()
  expect([stopped?.reason, iterations.length - 1 + refused.length, current_best]).toEqual(['plateau', 4, 'v0'])
  expect(end.stdout).toContain('Nothing to apply: v0 is the best')
  // what v0 did on the training cases of either fold is paid for once
  expect(iterations.slice(1).map((one) => trainedIn(world, one))).toEqual([
    { candidate: 2, parent: 2, reused: 0 },
    { candidate: 3, parent: 3, reused: 0 },
    { candidate: 2, parent: 2, reused: 2 },
    // and once more after three tries
    { candidate: 3, parent: 6, reused: 3 },
  ])
})

test('a proposal that does harm has one run of each training case, not all four; what it does not take is not held back', async () => {
  const half = evals(6, () => ['by heart'])
  const files = { 'scripts/add.sh': mended, 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals: half }) }
  const harms = proposer('breaks it', { command: 'sed -i "1i exit 1 # $(date +%s%N)" adder/scripts/add.sh' })
  await using world = await openWorld(harms, 6, files)
  const flags = ['--iterations', '2', '--train-runs', '4', '--runs', '5', '--budget-tokens', '100000000']
  const end = await world.improve(flags)
  expect(end.code, end.stderr).toBe(0)
  const { iterations } = world.history()
  expect(iterations.slice(1).map((one) => one.gate)).toMatchObject([
    { stage: 'train', result: 'lost', blocks: 1, planned_blocks: 4 },
    { stage: 'train', result: 'lost', blocks: 1, planned_blocks: 4 },
  ])
  expect(iterations.slice(1).map((one) => trainedIn(world, one))).toEqual([
    { candidate: 2, parent: 8, reused: 0 },
    { candidate: 3, parent: 12, reused: 0 },
  ])
})

/** Runs on training cases, and how many of them were made before. */
function trainedIn(world: World, { benchmarks }: Iteration) {
  const { runs, reused } = world.benchmark(benchmarks?.train)
  const of = (arm: string) => runs.filter(({ configuration }) => configuration === arm).length
  return { candidate: of('new_skill'), parent: of('old_skill'), reused: reused?.by_configuration.old_skill ?? 0 }
}

test('where less is left to gain than can be found, no proposal is paid for', async () => {
  // one statement of ten is missed
  const ten = evals(6, () => ['It', 'i', 's', 'su', 'sum', 'sum:', ':', 'um', 'by heart'])
  const files = { 'scripts/add.sh': mended, 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals: ten }) }
  await using world = await openWorld(mends, 6, files)
  const end = await world.improve()
  expect(end.code, end.stderr).toBe(0)
  expect(world.history()).toMatchObject({
    headroom: { enough: false, pass_rate: 0.9 },
    stopped: { reason: 'no_headroom' },
  })
  expect(existsSync(path.join(world.workspace, 'proposals'))).toBe(false)
  expect(end.stdout).toMatch(/Nothing was tried[\s\S]*so no gain can be shown/)
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

describe('a version that mends the script and has it wait', () => {
  const suite = JSON.stringify({ skill_name: 'adder', evals: evals(4) })
  const slow = proposer('mends and waits', {
    command: "sed -i 's/a - b/a + b/' adder/scripts/add.sh; echo 'sleep 1.4' >> adder/scripts/add.sh",
  })
  /** The sum of a training case. */
  const hangs = broken.replace('\n', '\n[ $a = 1037 ] && exec sleep 60\n')
  test.concurrent.each([
    [
      'is no win: it takes too long; what ran out of time before is told as that',
      hangs,
      [] as string[],
      'lost',
      /\+100 points, but time × \d/,
      ['timed out', 'the outcome was wrong'],
    ],
    [
      'controls: wins where that may be; no other failure has run out of time',
      broken,
      ['--max-time-increase', '1000', '--timeout', '30'],
      'won',
      /\+100 points, p/,
      undefined,
    ],
  ] as const)('%s', async (_, before, flags, result, reason, kinds) => {
    // a run takes long enough for the longest that may be, 11 times as much
    const files = { 'scripts/add.sh': `${before}sleep 0.3\n`, 'evals/evals.json': suite }
    await using world = await openWorld(slow, 4, files)
    const timeout = flags.includes('--timeout') ? [] : ['--timeout', '5']
    const asked = ['--iterations', '1', '--seed', '1', '--concurrency', '6', ...timeout, ...flags]
    const end = await world.improve(asked)
    expect(end.code, end.stderr).toBe(0)
    const { iterations, stopped } = world.history()
    expect(iterations[1]).toMatchObject({ grading_result: result, gate: { stage: 'validation' } })
    expect(iterations[1]?.gate?.reason).toMatch(reason)
    expect(stopped?.failures?.map(({ kind }) => kind)).toEqual(kinds)
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
    const end = await world.improve(['--iterations', '1'])
    expect(end.code, end.stderr).toBe(0)
    expect(world.history().stopped?.failures?.map((one) => one.kind)).toEqual([kind])
    expect(end.stdout).toContain(`still failing in training: ${kind}`)
  })
})

/** Sessions of `improve` that stop with something open: a version that is not proven, and a proposer that fails. */
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { critiqueBenchmark } from '../../../src/flows/check/critique/critique.ts'
import { evals, mends, openWorld } from '../../e2e/improve/improving.ts'
import { contextHere, improveHere } from './in_process.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Three of seven checks are met by mending the script: better in training, by too little for a validation at once. */
const seven = evals(6, (sum) => [`: ${sum}`, String(sum), 'by heart', 'gladly', 'of course', 'at once'])
const files = { 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals: seven }) }

/** Stopped after the first iteration, whose version is unproven; what it has paid so far, and what a run of v0 takes. */
async function openUnproven(testRuns: number) {
  const world = await openWorld(mends, 6, files)
  const wish = { iterations: 3, testRuns }
  const { history, told } = await improveHere(world, { ...wish, limits: { budgetTokens: 1e9 }, drainAfter: 1 })
  expect(history).toMatchObject({ current_best: 'v0', stopped: { reason: 'interrupted' } })
  expect(history.iterations[1]).toMatchObject({ grading_result: 'tie', gate: { stage: 'train' } })
  const paid = [history.iterations[0]?.benchmarks?.noise, history.iterations[1]?.benchmarks?.train].map((folder) =>
    world.benchmark(folder).runs.reduce((sum, run) => sum + (run.result.tokens ?? 0), 0),
  )
  const kept = Number(/([\d,]+) tokens of the budget are kept/.exec(told.join('\n'))?.[1]?.replaceAll(',', ''))
  const proposal = history.iterations[1]?.proposal?.tokens ?? 0
  return { world, wish, kept, proposal, spent: paid.reduce((sum, one) => sum + one, 0) + proposal }
}

test('out of money with a version that is not proven: what was kept for the test goes to its validation', async () => {
  const { world, wish, kept, spent, proposal } = await openUnproven(12)
  await using _ = world
  // less than another proposal takes is left beside what is kept
  const limits = { budgetTokens: Math.round(spent + kept + 0.5 * proposal) }
  const { history, told } = await improveHere(world, { ...wish, resume: true, limits })
  expect(told.join('\n')).toMatch(/does not reach for another round.*that now goes to the validation of v1/)
  expect(history.iterations[1]).toMatchObject({ grading_result: 'won', gate: { stage: 'validation' } })
  expect(history.iterations).toHaveLength(2)
  // the test has begun with what was left, and goes on with more
  expect(history).toMatchObject({ current_best: 'v1', stopped: { reason: 'budget' } })
  const more = await improveHere(world, { ...wish, resume: true, limits: { budgetTokens: 1e9 } })
  expect(more.history).toMatchObject({ test: { best: 'v1' }, ended_at: expect.any(String) })

  // what is said of the suite is said by the benchmark of the most cases, not by the newest, which is the test of one
  const of = (folder = '') =>
    critiqueBenchmark({ benchmark: path.join(world.workspace, folder), suite: null }, contextHere(world))
  const { validation, train } = more.history.iterations[1]?.benchmarks ?? {}
  const cases = (folder = '') => new Set(world.benchmark(folder).runs.map((run) => run.eval_id)).size
  expect([validation, train, more.history.test?.benchmark].map(cases)).toEqual([3, 2, 1])
  const { runs, notes } = await of()
  expect(runs).toBe(world.benchmark(validation).runs.length)
  expect(notes).toContainEqual(expect.stringMatching(/of improve, with 3 benchmarks: this is the one of the most/))
  expect(await of(train)).toMatchObject({ cases: 2, notes: [] })
})

test('where all that is kept does not reach for a validation, it says what one takes', async () => {
  const { world, wish, kept, spent, proposal } = await openUnproven(2)
  await using _ = world
  const limits = { budgetTokens: Math.round(spent + kept + 0.5 * proposal) }
  const runs = () => world.asked.filter((text) => text.includes('What is')).length
  const before = runs()
  const { history } = await improveHere(world, { ...wish, validationRuns: 3, resume: true, limits })
  expect(history.stopped?.message).toMatch(
    /v1 looked better in training and is not proven, which takes up to [\d,]+ tokens$/,
  )
  expect([history.ended_at, runs()]).toEqual([undefined, before])
})

/** The proposer's first so many requests fail; what it does afterwards mends the script. */
const fails = (first: number) => `
  - name: fails
    when: { user: '^You improve an agent skill', turn: 1 }
    fault: { status: 400, message: no credit is left, first: ${first} }
    tool_calls: [{ name: [Bash], input: { command: "sed -i 's/a - b/a + b/' adder/scripts/add.sh" } }]
  - name: speaks
    when: { user: '^You improve an agent skill' }
    text: "SUMMARY: mends the script\\nWHY: the sums were wrong"
`

test('a proposer that fails twice in a row: the session has not ended, and a resume asks it again', async () => {
  await using world = await openWorld(fails(2), 4)
  const { history } = await improveHere(world, { iterations: 1 })
  expect(history.stopped).toMatchObject({
    reason: 'proposer',
    message: expect.stringMatching(/^the proposer failed 2 times in a row: bad_request: .*no credit is left/),
  })
  expect([history.ended_at, history.refused?.map(({ rule }) => rule)]).toEqual([
    undefined,
    ['proposer_failed', 'proposer_failed'],
  ])
  const more = await improveHere(world, { iterations: 1, resume: true })
  // its failures are no proposals: the one iteration is still to be made
  expect(more.history).toMatchObject({ current_best: 'v1', iterations: [{}, { version: 'v1', iteration: 3 }] })
  expect(more.history.ended_at).toBeDefined()
})

test('control: a proposer that fails once is asked again, and the session ends', async () => {
  await using world = await openWorld(fails(1), 4)
  const { history } = await improveHere(world, { iterations: 1 })
  expect(history).toMatchObject({ current_best: 'v1', refused: [{ rule: 'proposer_failed' }] })
  expect(history.ended_at).toBeDefined()
})

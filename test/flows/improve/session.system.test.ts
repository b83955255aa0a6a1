/** Whole sessions of `improve` on the practice model: which edits are kept, what is certified and by whom, and what proposers see. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IncompleteError } from '../../../src/base/errors/error.ts'
import type { RemoteExecution } from '../../../src/flows/prepare/remote_execution.ts'
import { broken, mended, mends, openWorld, proposer, type World } from '../../e2e/improve/improving.ts'
import { editsOf, improveHere, judgedSuite, judges, proposesAll } from './in_process.ts'

const scriptOf = (folder: string) => readFileSync(path.join(folder, 'scripts/add.sh'), 'utf8')

const idle = proposer('says please', { command: 'echo "Please add with care." >> adder/SKILL.md' })

describe('a defect in the script that one of two edits mends', () => {
  const commands = ["sed -i 's/a - b/a + b/' adder/scripts/add.sh", 'cp -r ../training adder/references']
  const at = {} as { world: World; ended: Awaited<ReturnType<typeof improveHere>> }
  beforeAll(async () => {
    at.world = await openWorld(proposesAll(commands), 9)
    at.ended = await improveHere(at.world, { totalRuns: 24, confirmOn: ['anthropic:practice-2'] })
  })
  afterAll(() => at.world[Symbol.asyncDispose]())

  test('the history has the plan, the split, both versions and the certification, and is at the root of the workspace', () => {
    const { history } = at.ended
    expect(history).toMatchObject({
      ...{ skill_name: 'adder', started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) },
      ...{ current_best: 'v1', schema_version: 2, plan: { runs: 24, search_runs: 12, certification_runs: 12 } },
      split: { train: { length: 3 }, held_out: { length: 6 } },
      iterations: [
        {
          ...{ version: 'v0', parent: null, is_current_best: false },
          ...{ expectation_pass_rate: 0, grading_result: 'baseline' },
        },
        {
          ...{ version: 'v1', parent: 'v0', is_current_best: true },
          ...{ expectation_pass_rate: 1, grading_result: 'won' },
        },
      ],
      certification: { result: 'won', best: 'v1', gain: { mean: 1, n_cases: 6, n_runs: 12 }, judge: { kind: 'code' } },
    })
    expect(at.world.history()).toEqual(history)
  })

  test('the edit that mends is kept, and the one that quotes training cases is refused before any run', () => {
    const [edit, other] = editsOf(at.ended.history)
    expect(edit).toMatchObject({ id: '1.1.1', summary: 'edit 1', kept: true, runs_with: 5 })
    expect(edit?.effect).toBeGreaterThan(0)
    expect(other).toMatchObject({ kept: false, runs_with: 0, refused: { rule: expect.any(String) } })
  })

  test('no run exceeds the plan, and mixes have the edit in half of the runs', () => {
    const { rounds = [], certification } = at.ended.history
    const runs = rounds.reduce((sum, one) => sum + one.runs, 0)
    expect(runs).toBeLessThanOrEqual(12)
    expect((certification?.gain.n_runs ?? 0) + runs).toBeLessThanOrEqual(24)
    const [edit] = editsOf(at.ended.history)
    expect(edit?.runs_with).toBe((edit?.runs_without ?? 0) - (rounds[0]?.shown.runs ?? 0))
  })

  test('the user reads the result; the skill stays as it was', () => {
    expect(at.ended.told).toContainEqual(
      expect.stringMatching(
        /^Better: pass rate 100% with v1, 0% with v0: \+100 points, 95% CI \[\d+, 100\], one-sided p/,
      ),
    )
    const { skill, workspace } = at.world
    expect([scriptOf(skill), scriptOf(path.join(workspace, 'versions/v1'))]).toEqual([broken, mended])
  })

  test('the search runs training cases only, and the certification all held-out ones', () => {
    const planOf = (folder = '') => JSON.parse(readFileSync(path.join(at.world.workspace, folder, 'plan.json'), 'utf8'))
    const { split, rounds, certification } = at.ended.history
    const searched = planOf(rounds?.[0]?.benchmarks.mixes)
    const decided = planOf(certification?.benchmark)
    const casesOf = ({ runs }: { runs: { eval_id: number }[] }) => [...new Set(runs.map(({ eval_id }) => eval_id))]
    expect(casesOf(searched).filter((id) => !split?.train.includes(id))).toEqual([])
    expect(casesOf(decided).sort((a, b) => a - b)).toEqual(split?.held_out)
    expect([searched.search, decided.search]).toEqual([true, undefined])
  })

  test('a proposer sees training cases only: their failed runs, and the calls that read the skill', () => {
    const seen = path.join(at.world.workspace, 'proposals/1-1/outputs/change-2/adder/references')
    const summary = readFileSync(path.join(seen, 'summary.md'), 'utf8')
    const ids = [...summary.matchAll(/^## case-(\d+)/gm)].map(([, id]) => Number(id))
    expect(ids).toEqual(at.ended.history.split?.train)
    expect(summary).toMatch(/run-1-failed: 0 of 1 passed, [\d,]+ tokens; failed/)
    const isShown = (name: string) => existsSync(path.join(seen, name, 'run-1-failed/verdicts.json'))
    const shown = path.join(seen, readdirSync(seen).find(isShown) ?? '', 'run-1-failed/verdicts.json')
    const { skill_calls } = JSON.parse(readFileSync(shown, 'utf8'))
    expect(skill_calls).toEqual([expect.stringContaining('SKILL.md'), expect.stringContaining('scripts/add.sh')])
    const prompts = at.world.asked.filter((text) => text.includes('You improve an agent skill')).join('\n')
    expect(prompts).toMatch(/Look at these failures first: case-\d+ \(the outcome was wrong/)
  })

  test('the win is repeated on another model; its gain is recorded there and decides nothing', () => {
    const { certification, confirmations } = at.ended.history
    expect(confirmations).toMatchObject([{ engine: 'anthropic:practice-2', gain: { mean: 1 }, v0: { mean: 0 } }])
    const said = /^The gain transfers with anthropic:practice-2: pass rate 100%/
    expect(at.ended.told).toContainEqual(expect.stringMatching(said))
    expect(confirmations?.[0]?.benchmark).not.toBe(certification?.benchmark)
  })
})

test('too few runs for all held-out cases: it says on how many of them the version is certified', async () => {
  await using world = await openWorld(mends, 9)
  const { told, history } = await improveHere(world, { totalRuns: 12 })
  expect(told).toContain('certification: v1 against v0, in 6 fresh runs on 3 of the 6 held-out cases')
  expect(history.certification?.gain).toMatchObject({ n_cases: 3, n_runs: 6 })
})

test('an edit without an effect is not kept: no held-out case runs, and nothing is repeated on another model', async () => {
  await using world = await openWorld(idle, 6)
  const { history } = await improveHere(world, { totalRuns: 12, confirmOn: ['anthropic:practice-2'] })
  expect(editsOf(history)[0]).toMatchObject({ kept: false, effect: 0 })
  expect(history.stopped).toMatchObject({ reason: 'no_edit', failures: [{ kind: 'the outcome was wrong' }] })
  expect([history.certification, history.confirmations]).toEqual([null, undefined])
  expect(existsSync(path.join(world.workspace, 'benchmarks'))).toBe(false)
})

test('every proposer of a round fails: the session waits, and a resume asks them again', async () => {
  const fails = `
  - name: fails
    when: { user: '^You improve an agent skill', turn: 1 }
    fault: { status: 400, message: no credit is left, first: 3 }
    tool_calls: [{ name: [Bash], input: { command: "sed -i 's/a - b/a + b/' change-1/adder/scripts/add.sh" } }]
  - name: speaks
    when: { user: '^You improve an agent skill' }
    text: "CHANGE 1: mends the script\\nWHY 1: the sums were wrong"
`
  await using world = await openWorld(fails, 6)
  const { history } = await improveHere(world, { totalRuns: 24 })
  expect(history.stopped).toMatchObject({
    reason: 'proposer',
    message: expect.stringMatching(/^every proposer failed: bad_request: .*no credit is left/),
  })
  expect([history.ended_at, history.rounds, history.failed_proposals?.length]).toEqual([undefined, [], 3])
  const more = await improveHere(world, { totalRuns: 24, resume: true })
  expect(more.history).toMatchObject({ current_best: 'v1', certification: { result: 'won' } })
})

test('a second judge decides the certification, and both gradings count in the cost of the session', async () => {
  await using world = await openWorld(judges + mends, 6, judgedSuite(6))
  const { history, told } = await improveHere(world, { totalRuns: 24, certifyJudge: 'anthropic:practice-2' })
  expect(told).toContain('certification: decided by a second judge, anthropic:practice-2')
  expect(history.certification).toMatchObject({
    ...{ result: 'won', gain: { n_runs: 12 } },
    judge: { kind: 'second', name: 'anthropic:practice-2', disagreement: { decisions: 12, differ: 0, gain: 1 } },
  })
  const spent = readFileSync(path.join(world.workspace, history.certification?.benchmark ?? '', 'spent.jsonl'), 'utf8')
  const parts = spent.trim().split('\n')
  expect(parts.map((line) => JSON.parse(line).part)).toEqual(Array.from({ length: 12 }, () => 'grading'))
  // no part has a known cost: runs and gradings of the search, then runs and both gradings
  const searched = (history.rounds ?? []).reduce((sum, one) => sum + one.runs, 0)
  expect(history.benchmarks_unknown).toBe(2 * searched + 3 * 12)
})

test('a start that is refused for its engine or its machines leaves the session before it where it was; the next start moves it, and says so', async () => {
  await using world = await openWorld(idle, 4)
  const { history: first } = await improveHere(world, { totalRuns: 12 })
  expect(first).toMatchObject({ stopped: { reason: 'no_edit' }, ended_at: expect.any(String) })
  const before = readdirSync(world.workspace).sort()
  const unpriced = improveHere(world, { proposer: 'anthropic:opus', limits: { budget: 100 } })
  await expect(unpriced).rejects.toThrow(/^--budget: the cost of anthropic:practice-1 is unknown/)
  const keyless = improveHere(world, { engine: 'openai:gpt-5', proposer: 'anthropic:practice-1' })
  await expect(keyless).rejects.toThrow(/OPENAI_API_KEY/)
  const unreachable = () => Promise.reject(new IncompleteError('the other machines do not answer'))
  const away: RemoteExecution = { reach: unreachable, open: unreachable, withoutWait: () => away }
  await expect(improveHere(world, { remote: away })).rejects.toThrow('the other machines do not answer')
  expect([readdirSync(world.workspace).sort(), before.includes('sessions')]).toEqual([before, false])
  expect((await improveHere(world, { resume: true, totalRuns: 12 })).history).toEqual(first)
  const suite = path.join(world.skill, 'evals/evals.json')
  const written = readFileSync(suite, 'utf8')
  writeFileSync(suite, written.replace('What is', 'Please, what is'))
  // nothing runs any more: it can be looked at, and applied
  expect((await improveHere(world, { resume: true, totalRuns: 12, nobodyConfirms: true })).history).toEqual(first)
  writeFileSync(suite, written)

  const { history, told } = await improveHere(world, { totalRuns: 12 })
  const [name = ''] = readdirSync(path.join(world.workspace, 'sessions'))
  expect(told).toContainEqual(expect.stringContaining(`is now in sessions/${name} of the workspace`))
  const aside = path.join(world.workspace, 'sessions', name)
  expect(JSON.parse(readFileSync(path.join(aside, 'history.json'), 'utf8'))).toEqual(first)
  expect([readdirSync(path.join(aside, 'versions')), history.started_at > first.started_at]).toEqual([['v0'], true])
})

/** Whole sessions of `improve` on the practice model: which edits are kept, what is certified, and what proposers see. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { History } from '../../../schemas/history.ts'
import { broken, evals, mended, mends, openWorld, proposer, type World } from '../../e2e/improve/improving.ts'
import { improveHere } from './in_process.ts'

vi.setConfig({ testTimeout: 120_000 })

const scriptOf = (folder: string) => readFileSync(path.join(folder, 'scripts/add.sh'), 'utf8')
const editsOf = ({ rounds = [] }: History) => rounds.flatMap((one) => one.proposals.flatMap(({ edits }) => edits))
const planOf = ({ workspace }: World, folder: string) =>
  JSON.parse(readFileSync(path.join(workspace, folder, 'plan.json'), 'utf8'))

/** What each proposer does in its four copies. */
function proposesAll(commands: readonly string[]): string {
  const each = commands.map((command, at) => `(cd ../change-${at + 1} && ${command})`)
  const words = commands.map((_, at) => `CHANGE ${at + 1}: edit ${at + 1}\\nWHY ${at + 1}: reason ${at + 1}`)
  return proposer('all', { command: each.join('; '), words: words.join('\\n') })
}

describe('a defect in the script', () => {
  test('is mended, tried in mixes, and certified once on cases that no proposer saw', async () => {
    await using world = await openWorld(mends, 9)
    const { history, told } = await improveHere(world, { totalRuns: 24 })
    expect(history).toMatchObject({
      ...{ skill_name: 'adder', started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) },
      ...{ current_best: 'v1', schema_version: 2, plan: { runs: 24, search_runs: 12, certification_runs: 12 } },
      split: { train: { length: 3 }, held_out: { length: 6 } },
      iterations: [
        {
          ...{ version: 'v0', parent: null, is_current_best: false },
          ...{ expectation_pass_rate: 0, rate_of: 'held_out', grading_result: 'baseline' },
        },
        {
          ...{ version: 'v1', parent: 'v0', is_current_best: true },
          ...{ expectation_pass_rate: 1, rate_of: 'held_out', grading_result: 'won' },
        },
      ],
      certification: { result: 'won', best: 'v1', gain: { mean: 1, n_cases: 6, n_runs: 12 }, judge: { kind: 'code' } },
    })
    expect(world.history()).toEqual(history) // history.json at the root of the workspace
    const [edit] = editsOf(history)
    expect(edit).toMatchObject({ id: '1.1.1', summary: 'mends the script', kept: true, runs_with: 5 })
    expect(edit?.effect).toBeGreaterThan(0)
    expect(told.at(-2)).toMatch(
      /^Better: pass rate 100% with v1, 0% with v0: \+100 points, 95% CI \[\d+, 100\], one-sided p/,
    )
    expect([scriptOf(world.skill), scriptOf(path.join(world.workspace, 'versions/v1'))]).toEqual([broken, mended])
    const { train = [], held_out = [] } = history.split ?? {}
    const searched = planOf(world, history.rounds?.[0]?.benchmarks.mixes ?? '')
    const decided = planOf(world, history.certification?.benchmark ?? '')
    const casesOf = ({ runs }: { runs: { eval_id: number }[] }) => new Set(runs.map(({ eval_id }) => eval_id))
    expect([...casesOf(searched)].every((id) => train.includes(id))).toBe(true)
    expect([...casesOf(decided)].sort((a, b) => a - b)).toEqual(held_out)
    expect([searched.search, decided.search]).toEqual([true, undefined])
  })

  test('no run exceeds the plan, and mixes have each edit in half of the runs', async () => {
    const commands = [
      "sed -i 's/a - b/a + b/' adder/scripts/add.sh",
      'echo one > adder/one.md',
      'echo two > adder/two.md',
    ]
    await using world = await openWorld(proposesAll(commands), 6)
    const { history } = await improveHere(world, { totalRuns: 30 })
    const runs = (history.rounds ?? []).reduce((sum, one) => sum + one.runs, 0)
    expect(runs).toBeLessThanOrEqual(15)
    expect((history.certification?.gain.n_runs ?? 0) + runs).toBeLessThanOrEqual(30)
    for (const edit of editsOf(history).filter(({ refused }) => refused === undefined)) {
      const shown = history.rounds?.[0]?.shown.runs ?? 0
      expect(edit.runs_with).toBe(edit.runs_without - shown)
    }
  })
})

test('useful edits of several copies are combined; useless, harmful and overlapping ones are left out', async () => {
  const both = evals(6, () => ['gladly'])
  const gladly = `
  - name: answers gladly
    when: { user: '^What is', turn: 3, result: 'gladly' }
    text: 'gladly: It is {{lastResult}}'
`
  const commands = [
    "sed -i 's/a - b/a + b/' adder/scripts/add.sh",
    'echo "echo gladly" >> adder/scripts/add.sh',
    'echo "Be quick." >> adder/SKILL.md',
    'echo "exit 1" > adder/scripts/add.sh',
  ]
  const files = { 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals: both }) }
  await using world = await openWorld(proposesAll(commands) + gladly, 6, files)
  const { history } = await improveHere(world, { totalRuns: 80 })
  const byId = new Map(editsOf(history).map((edit) => [edit.id, edit]))
  expect(byId.get('1.1.1')).toMatchObject({ kept: true })
  expect(byId.get('1.1.2')).toMatchObject({ kept: true })
  expect(byId.get('1.1.4')).toMatchObject({ kept: false, refused: { rule: 'overlap' } })
  expect(byId.get('1.2.1')).toMatchObject({ kept: false, refused: { rule: 'repeated' } })
  expect(scriptOf(path.join(world.workspace, 'versions/v1'))).toBe(`${mended}echo gladly\n`)
  expect(history.certification).toMatchObject({ result: 'won' })
})

test('a file that is no text is changed by one edit of a round', async () => {
  const random = proposer('adds a picture', { command: 'head -c 500 /dev/urandom > adder/picture.bin' })
  await using world = await openWorld(random, 4)
  const { told } = await improveHere(world, { totalRuns: 12 })
  const said = 'it changes picture.bin, as does an earlier edit of this round'
  expect(told.filter((one) => one.includes('overlap'))).toEqual([
    `edit 1.2.1 refused (overlap): ${said}`,
    `edit 1.3.1 refused (overlap): ${said}`,
  ])
})

test('too few runs for all held-out cases: it says on how many of them the version is certified', async () => {
  await using world = await openWorld(mends, 9)
  const { told, history } = await improveHere(world, { totalRuns: 12 })
  expect(told).toContain('certification: v1 against v0, in 6 fresh runs on 3 of the 6 held-out cases')
  expect(history.certification?.gain).toMatchObject({ n_cases: 3, n_runs: 6 })
})

test('of two cases, one is held out', async () => {
  await using world = await openWorld(mends, 2)
  const { told } = await improveHere(world, { totalRuns: 12 })
  expect(told).toContainEqual(expect.stringMatching(/^1 training case, 1 held-out case; a result holds for these/))
  expect(told).toContain('certification: v1 against v0, in 6 fresh runs on the 1 held-out case')
})

describe('what a proposer sees', () => {
  test('training cases only: failed runs next to passed ones, and the calls that read the skill', async () => {
    const copies = proposer('looks around', { command: 'cp -r ../training adder/references' })
    await using world = await openWorld(copies, 9)
    const { history } = await improveHere(world, { totalRuns: 16 })
    const seen = path.join(world.workspace, 'proposals/1-1/outputs/change-1/adder/references')
    const summary = readFileSync(path.join(seen, 'summary.md'), 'utf8')
    const ids = [...summary.matchAll(/^## case-(\d+)/gm)].map(([, id]) => Number(id))
    expect(ids).toEqual(history.split?.train)
    expect(summary).toMatch(/run-1-failed: 0 of 1 passed, [\d,]+ tokens; failed/)
    const shown =
      readdirSync(seen).find((name) => existsSync(path.join(seen, name, 'run-1-failed/verdicts.json'))) ?? ''
    const verdicts = JSON.parse(readFileSync(path.join(seen, shown, 'run-1-failed/verdicts.json'), 'utf8'))
    expect(verdicts.skill_calls).toEqual([
      expect.stringContaining('SKILL.md'),
      expect.stringContaining('scripts/add.sh'),
    ])
    const prompts = world.asked.filter((text) => text.includes('You improve an agent skill'))
    expect(prompts.some((text) => /Look at these failures first: case-\d+ \(the outcome was wrong/.test(text))).toBe(
      true,
    )
  })

  test('in the second round: the edits of the first with their diffs and effects, and what passes now', async () => {
    const half = proposer('first', { command: 'echo "Be kind." >> adder/SKILL.md' })
    await using world = await openWorld(half, 6)
    const { history } = await improveHere(world, { totalRuns: 80 })
    expect(history.rounds?.length).toBe(2)
    const prompts = world.asked.filter((text) => text.includes('Tried already and not kept'))
    expect(prompts.length).toBeGreaterThan(0)
    expect(prompts[0]).toMatch(/first: 0 points on training cases in \d+ runs with it/)
    expect(history).toMatchObject({ current_best: 'v0', certification: null, stopped: { reason: 'no_edit' } })
  })
})

describe('nothing to certify', () => {
  test('a skill that passes all training cases: no proposal is paid for', async () => {
    await using world = await openWorld(mends, 6, { 'scripts/add.sh': mended })
    const { history } = await improveHere(world)
    expect(history).toMatchObject({ stopped: { reason: 'solved' }, certification: null, current_best: 'v0' })
    expect(existsSync(path.join(world.workspace, 'proposals'))).toBe(false)
  })

  test('an edit without an effect is not kept, and no held-out case runs', async () => {
    const idle = proposer('says please', { command: 'echo "Please add with care." >> adder/SKILL.md' })
    await using world = await openWorld(idle, 6)
    const { history } = await improveHere(world)
    expect(editsOf(history)[0]).toMatchObject({ kept: false, effect: 0 })
    expect(history.stopped).toMatchObject({ reason: 'no_edit', failures: [{ kind: 'the outcome was wrong' }] })
    expect(existsSync(path.join(world.workspace, 'benchmarks'))).toBe(false)
  })
})

describe('a failing proposer', () => {
  /** The proposers' first requests fail; what they do afterwards mends the script. */
  const fails = (first: number) => `
  - name: fails
    when: { user: '^You improve an agent skill', turn: 1 }
    fault: { status: 400, message: no credit is left, first: ${first} }
    tool_calls: [{ name: [Bash], input: { command: "sed -i 's/a - b/a + b/' change-1/adder/scripts/add.sh" } }]
  - name: speaks
    when: { user: '^You improve an agent skill' }
    text: "CHANGE 1: mends the script\\nWHY 1: the sums were wrong"
`
  test('all of a round: the session waits, and a resume asks them again', async () => {
    await using world = await openWorld(fails(3), 6)
    const { history } = await improveHere(world)
    expect(history.stopped).toMatchObject({
      reason: 'proposer',
      message: expect.stringMatching(/^every proposer failed: bad_request: .*no credit is left/),
    })
    expect([history.ended_at, history.rounds, history.failed_proposals?.length]).toEqual([undefined, [], 3])
    const more = await improveHere(world, { resume: true })
    expect(more.history).toMatchObject({ current_best: 'v1', certification: { result: 'won' } })
  })

  test('control: one of three: the round goes on with the others', async () => {
    await using world = await openWorld(fails(1), 6)
    const { history } = await improveHere(world)
    expect(history).toMatchObject({ current_best: 'v1', certification: { result: 'won' } })
    const refused = history.rounds?.[0]?.proposals.map((one) => one.refused?.rule)
    expect(refused?.filter((rule) => rule === 'proposer_failed')).toHaveLength(1)
  })
})

/** What went wrong is benched again: the cases that failed last time, or one run beside the old one. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { plan } from '../../../schemas/plan.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

const cases = [
  { id: 1, name: 'easy', prompt: 'x', checks: [{ type: 'file_exists', path: 'answer.txt' }] },
  { id: 2, name: 'hard', prompt: 'y', checks: [{ type: 'contains', value: 'SPOTLESS' }] },
]

const easy = cases.slice(0, 1)

async function benched(evals: readonly object[]) {
  const [skill, workspace] = [makeSkill(evals), path.join(fresh(), 'ws')]
  expect(await runMain([...bench(skill), '--workspace', workspace])).toMatchObject({ code: 0 })
  return { skill, workspace }
}

const bench = (skill: string) => ['bench', skill, '--engine', tidyAgent, '--sandbox', 'off', '--runs', '2']

const oneRun = ['--engine', tidyAgent, '--sandbox', 'off', '--runs', '1']

const kept = new Map<readonly object[], ReturnType<typeof benched>>()

/** Cases that are benched once; the workspace is the test's own, the skill is the same for all. */
async function copied(evals: readonly object[] = cases) {
  const once = kept.get(evals) ?? benched(evals)
  kept.set(evals, once)
  const { skill, workspace: original } = await once
  const workspace = path.join(fresh(), 'ws')
  cpSync(original, workspace, { recursive: true })
  return { skill, workspace, args: [...bench(skill), '--workspace', workspace], folder: newest(workspace) }
}

const benchmarks = (workspace: string) => readdirSync(path.join(workspace, 'benchmarks')).sort()
const newest = (workspace: string) => path.join(workspace, 'benchmarks', benchmarks(workspace).at(-1) ?? '')
const read = (folder: string, name: string) => JSON.parse(readFileSync(path.join(folder, name), 'utf8'))
const resultOf = (folder: string) => benchmark.parse(read(folder, 'benchmark.json'))
const planOf = (folder: string) => plan.parse(read(folder, 'plan.json'))

describe('--last-failed', () => {
  test('takes the cases of which a run did not pass everything, and says which', async () => {
    const made = await copied()
    const end = await runMain([...made.args, '--last-failed'])
    expect(end.code).toBe(0)
    expect(end.stderr).toContain('2 hard: a run did not pass everything')
    expect(resultOf(newest(made.workspace)).metadata.evals_run).toEqual([2])
    expect(benchmarks(made.workspace)).toHaveLength(2)
  })
  test('none: exit 0, a sentence, no new benchmark; a run that is lost, or not graded, counts', async () => {
    const made = await copied(easy)
    const end = await runMain([...made.args, '--last-failed'])
    expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining('No case failed') })
    expect(benchmarks(made.workspace)).toHaveLength(1)
    const run = path.join(made.folder, 'eval-1-easy/with_skill/run-1')
    for (const [file, reason] of [
      ['grading.json', 'a run is not wholly graded'],
      ['run.json', 'a run is missing'],
    ] as const) {
      writeFileSync(path.join(run, file), '{')
      const { stderr, stdout } = await runMain([...made.args, '--last-failed', '--dry-run'])
      expect(stderr).toContain(`1 easy: ${reason}`)
      expect(stdout).toContain('4 agent runs')
    }
  })
  test('what only the baseline fails, and what only an indicator misses, did not fail', async () => {
    const helped = { id: 3, name: 'helped', prompt: 'y', checks: [{ type: 'contains', value: 'TIDY' }] }
    const never = { type: 'contains', value: 'SPOTLESS', indicator: true }
    const told = { id: 4, name: 'told', prompt: 'z', checks: [...helped.checks, never] }
    const made = await copied([helped, told])
    const none = { code: 0, stdout: expect.stringContaining('No case failed') }
    expect(await runMain([...made.args, '--last-failed'])).toMatchObject(none)
    writeFileSync(path.join(made.folder, 'eval-4-told/without_skill/run-1/grading.json'), '{')
    const end = await runMain([...made.args, '--last-failed', '--dry-run'])
    expect(end.stderr).toContain('4 told: a run is not wholly graded')
    expect(end.stderr).not.toContain('3 helped')
  })
  test('of many skills: those without a failed case keep their benchmark; the output says that only some cases ran', async () => {
    const [hard, other] = [makeSkill(cases), makeSkill(easy)]
    const workspace = path.join(fresh(), 'ws')
    const args = ['bench', hard, other, ...oneRun, '--workspace', workspace]
    expect(await runMain(args)).toMatchObject({ code: 0 })
    expect(read(workspace, 'index.json').rows.filter((row: object) => 'chosen' in row)).toEqual([])
    const end = await runMain([...args, '--last-failed'])
    expect(end.code).toBe(0)
    expect(end.stdout).toContain('1 of chosen cases only')
    expect(end.stdout).toMatch(/only case 2 of 2 cases$/m)
    const row = read(workspace, 'index.json').rows.at(-1)
    expect(row.chosen).toEqual({ eval_ids: [2], of: 2 })
    const folder = path.join(workspace, row.folder)
    expect(planOf(folder).chosen).toEqual(row.chosen)
    expect(readFileSync(path.join(folder, 'benchmark.md'), 'utf8')).toContain('> Only case 2 of 2 cases of the suite')
    const made = readdirSync(workspace).filter((name) => existsSync(path.join(workspace, name, 'benchmarks')))
    expect(made.map((name) => benchmarks(path.join(workspace, name)).length).sort()).toEqual([1, 2])
  })
  test('all cases named one by one are the whole suite, and its plan stays the same', async () => {
    const made = await copied()
    const end = await runMain([...made.args, '--case', '1', '--case', '2', '--fresh', '--dry-run', '--json'])
    const again = plan.parse(JSON.parse(end.stdout))
    expect([again.chosen, again.plan_id]).toEqual([undefined, planOf(made.folder).plan_id])
  })
})

describe('--rerun', () => {
  const run = 'eval-2-hard/with_skill/run-1'
  test('makes it anew with the next number, keeps the old one, aggregates both', async () => {
    const made = await copied()
    const before = read(made.folder, `${run}/run.json`)
    expect(await runMain([...made.args, '--rerun', run])).toMatchObject({ code: 0 })
    expect(read(made.folder, `${run}/run.json`)).toEqual(before)
    const rerun = planOf(made.folder).runs.find(({ rerun_of }) => rerun_of === run)
    expect(rerun).toMatchObject({ run_id: 'eval-2-hard/with_skill/run-3', run_number: 3 })
    expect(read(made.folder, 'eval-2-hard/with_skill/run-3/run.json').key).toBe(rerun?.key)
    expect(resultOf(made.folder)).toMatchObject({ complete: true, counts: { planned: 9, used: 9 } })
    expect(planOf(made.folder).calls.agent_runs).toBe(9)
  })
  test('a path of a run folder does the same, and again takes the number after; a resume and an aggregation keep both', async () => {
    const made = await copied()
    const place = path.join(made.folder, run)
    for (const _ of [1, 2])
      expect(await runMain([...made.args.slice(0, 6), '--rerun', place])).toMatchObject({ code: 0 })
    const all = ['eval_metadata.json', 'run-1', 'run-2', 'run-3', 'run-4']
    expect(readdirSync(path.join(made.folder, 'eval-2-hard/with_skill')).sort()).toEqual(all)
    writeFileSync(path.join(made.folder, 'eval-1-easy/with_skill/run-1/run.json'), '{')
    writeFileSync(path.join(made.folder, 'benchmark.json'), '{')
    expect((await runMain(made.args)).stderr).toContain('9 of 10 runs already done')
    expect(resultOf(made.folder).counts).toMatchObject({ planned: 10, used: 10 })
    expect(benchmarks(made.workspace)).toHaveLength(1)
  })
  test('the index above that has a row of the benchmark is written anew, one that has none stays', async () => {
    const other = makeSkill(easy, { 'SKILL.md': '---\nname: other\ndescription: d\n---\nx\n' })
    const [skill, root] = [makeSkill(cases), path.join(fresh(), 'ws')]
    expect(await runMain(['bench', skill, other, ...oneRun, '--workspace', root])).toMatchObject({ code: 0 })
    const runs = () =>
      read(root, 'index.json')
        .rows.map((row: { candidate: { runs: number } }) => row.candidate.runs)
        .sort()
    expect(runs()).toEqual([1, 2])
    const args = ['bench', skill, '--rerun', run, '--workspace', path.join(root, 'tidy')]
    expect(await runMain(args)).toMatchObject({ code: 0 })
    expect(runs()).toEqual([1, 3])
    for (const name of ['index.md', 'index.html'])
      expect(readFileSync(path.join(root, name), 'utf8')).toContain('3 + 2')
    const moved = { ...read(root, 'index.json'), rows: [] }
    writeFileSync(path.join(root, 'index.json'), JSON.stringify(moved))
    expect(await runMain(args)).toMatchObject({ code: 0 })
    expect(read(root, 'index.json')).toEqual(moved)
  })
  test('of a run without outcome it is made in its place, and the benchmark is whole', async () => {
    const made = await copied()
    const place = path.join(made.folder, run)
    const record = read(place, 'run.json')
    const failed = { ...record, status: 'failed', error: { kind: 'server_error', message: 'once' } }
    writeFileSync(path.join(place, 'run.json'), JSON.stringify(failed))
    writeFileSync(path.join(place, 'grading.json'), '{')
    expect(await runMain(['aggregate', made.folder])).toMatchObject({ code: 3 })
    expect(await runMain([...made.args, '--rerun', run])).toMatchObject({ code: 0 })
    expect(resultOf(made.folder)).toMatchObject({ complete: true, counts: { planned: 8, used: 8 } })
    expect(read(place, 'run.json').status).toBe('completed')
    expect(existsSync(path.join(made.folder, 'eval-2-hard/with_skill/run-3'))).toBe(false)
  })
  test('a skill that has changed since is a mistake, and leaves everything as it was', async () => {
    const made = await copied([...cases])
    const copy = path.join(fresh(), 'before')
    cpSync(made.folder, copy, { recursive: true })
    writeFileSync(path.join(made.skill, 'more.md'), 'new')
    const end = await runMain([...made.args, '--rerun', run])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('has changed since') })
    expect(read(made.folder, 'plan.json')).toEqual(read(copy, 'plan.json'))
    expect(existsSync(path.join(made.folder, 'eval-2-hard/with_skill/run-3'))).toBe(false)
  })
  test('a run that is not there is a mistake', async () => {
    const made = await copied()
    const end = await runMain([...made.args, '--rerun', 'eval-2-hard/with_skill/run-9'])
    expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(/did you mean .*run-1/)])
  })
})

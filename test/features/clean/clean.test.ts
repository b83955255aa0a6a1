/** clean removes what the rules choose and nothing that is protected; where transcripts are removed, verdicts stay, and every reader says so. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { cleanReport } from '../../../schemas/clean_report.ts'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { tempSiblingName } from '../../../src/base/fs/durable_files.ts'
import { chooseSandbox, noSandboxWish } from '../../../src/base/sandbox/choose.ts'
import type { CleanRequest } from '../../../src/features/clean/choose_removals.ts'
import { planClean } from '../../../src/features/clean/clean.ts'
import { explain } from '../../../src/features/explain/explain.ts'
import { aggregateAgain } from '../../../src/flows/aggregate/aggregate.ts'
import type { FlowContext } from '../../../src/flows/flow_context.ts'
import { gradeStoredRun } from '../../../src/flows/judge/grade_stored_run.ts'
import { readJudgeDecisions } from '../../../src/flows/labels/judge_decisions.ts'
import { openAccountLimiters } from '../../../src/flows/limits/rate_limiters.ts'
import { readDetail } from '../../../src/flows/page/run_detail.ts'
import { repairBenchmark } from '../../../src/flows/workspace/open_benchmark.ts'
import { takeLease } from '../../../src/store/lease/lease.ts'
import { findSigner } from '../../../src/store/signing/signer.ts'
import { readPlan, readRun } from '../../../src/store/store.ts'
import { runMain } from '../../cli/run_main.ts'
import { unpackEarlierWorkspace } from '../../e2e/earlier_workspace.ts'
import { signBenchmark } from '../../fixtures/sign_benchmark.ts'
import { folderOf, userError } from '../../phases/1-plan/folder.ts'

const never = new AbortController().signal
const context: FlowContext = {
  emit: () => {},
  env: {},
  drain: never,
  signal: never,
  now: () => new Date('2026-12-01T00:00:00Z'),
}

const day = 86_400_000

/** A workspace with four benchmarks of one skill: three finished ones (two of them copies), and the newest, interrupted one. */
function cleanWorkspace() {
  const { folder, workspace: name, listBenchmarks } = unpackEarlierWorkspace()
  const workspace = path.join(folder, name)
  const [finished = ''] = listBenchmarks()
  const at = (stamp: string, kind = 'benchmarks') => path.join(workspace, kind, stamp)
  const copy = (stamp: string, kind = 'benchmarks') => {
    cpSync(path.join(folder, finished), at(stamp, kind), { recursive: true })
    return at(stamp, kind)
  }
  copy('2026-01-01T00-00-00Z')
  copy('2026-02-01T00-00-00Z')
  const write = (file: string, value: unknown) => {
    mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true })
    writeFileSync(path.join(workspace, file), typeof value === 'string' ? value : JSON.stringify(value))
  }
  const list = (kind = 'benchmarks') => readdirSync(path.join(workspace, kind)).sort()
  const plan = (changes: Partial<CleanRequest> = {}) =>
    planClean({ places: [workspace], folders: null, transcripts: null, cache: null, temp: false, ...changes }, context)
  /** What is chosen, and what is kept and why, by names of folders. */
  const chosen = async (changes: Partial<CleanRequest>) => {
    const { report } = await plan(changes)
    const names = report.removals.map((one) => path.basename(one.path))
    return { names, kept: Object.fromEntries(report.kept.map((one) => [path.basename(one.path), one.reason])) }
  }
  return { folder, workspace, finished: path.join(folder, finished), at, copy, write, list, plan, chosen }
}

const [january, february] = ['2026-01-01T00-00-00Z', '2026-02-01T00-00-00Z']
const [finished, interrupted] = ['2026-11-25T15-46-07Z', '2026-11-25T15-46-09Z']
const old = { olderThanMs: day, keepLast: null }

describe('which benchmarks are chosen', () => {
  test('by age, but neither the last one nor the last complete one', async () => {
    const { chosen } = cleanWorkspace()
    const { names, kept } = await chosen({ folders: old })
    expect(names).toEqual([january, february])
    expect(Object.keys(kept)).toEqual([finished, interrupted])
    expect((await chosen({ folders: { olderThanMs: 305 * day, keepLast: null } })).names).toEqual([january])
    expect((await chosen({ folders: { olderThanMs: 1000 * day, keepLast: null } })).names).toEqual([])
  })
  test('beyond the newest N of a skill; both filters together spare more', async () => {
    const { chosen } = cleanWorkspace()
    expect((await chosen({ folders: { olderThanMs: null, keepLast: 3 } })).names).toEqual([january])
    expect((await chosen({ folders: { olderThanMs: day, keepLast: 3 } })).names).toEqual([january])
  })
  test('of those that are named, as by a pattern of the shell, only what the filters choose, and never the last one', async () => {
    const { workspace, at, chosen } = cleanWorkspace()
    const places = [january, february, finished, interrupted].map((stamp) => at(stamp))
    const { names, kept } = await chosen({ places, folders: { olderThanMs: 305 * day, keepLast: null } })
    expect([names, kept]).toEqual([[january], {}])
    expect((await chosen({ places, folders: { olderThanMs: null, keepLast: 2 } })).names).toEqual([january, february])
    const all = await chosen({ places, folders: { olderThanMs: 0, keepLast: null } })
    expect([all.names, Object.keys(all.kept)]).toEqual([
      [january, february],
      [finished, interrupted],
    ])
    // a workspace next to a benchmark is not left out
    expect((await chosen({ places: [workspace, at(february)], folders: old })).names).toEqual([january, february])
  })
  test('the last of each skill in a shared workspace', async () => {
    const { write, chosen } = cleanWorkspace()
    write(`benchmarks/${january}/plan.json`, { skill: { name: 'other' } })
    expect((await chosen({ folders: old })).names).toEqual([february])
  })
})

test('a benchmark in progress stays, whether it is chosen before or after it begins', async () => {
  const { at, plan, chosen, list } = cleanWorkspace()
  const lease = await takeLease(at(january))
  if ('heldBy' in lease) throw new Error('held')
  const first = await chosen({ folders: old })
  expect(first.names).toEqual([february])
  expect(first.kept[january]).toMatch(/^in progress: process \d+/)
  await lease[Symbol.asyncDispose]()
  const planned = await plan({ folders: old })
  const again = await takeLease(at(january))
  if ('heldBy' in again) throw new Error('held')
  const done = await planned.perform()
  expect(done.removals.map((one) => path.basename(one.path))).toEqual([february])
  expect(list()).toContain(january)
  await again[Symbol.asyncDispose]()
  // without the lease it goes
  await (await plan({ folders: old })).perform()
  expect(list()).toEqual([finished, interrupted])
})

describe('what improve needs stays', () => {
  const round = {
    ...{ round: 1, parent: 'v0', version: null, shown: { runs: 0, pass_rate: null }, runs: 0 },
    ...{
      benchmarks: { shown: [`benchmarks/${january}`] },
      estimate: null,
      proposals: [],
      ended_at: '2026-03-01T00:00:00Z',
    },
  }
  const ended = { started_at: 'x', skill_name: 'tidy', current_best: 'v1', iterations: [], rounds: [round] }
  const split = { seed: 1, train: [1], held_out: [2], strata: [], suite_sha256: 'x', scope: 'x' }

  test('a benchmark that history.json refers to; its transcripts may go when the session has ended', async () => {
    const { write, chosen } = cleanWorkspace()
    write('history.json', { ...ended, ended_at: '2026-03-01T00:00:00Z' })
    const { names, kept } = await chosen({ folders: old })
    expect([names, kept[january]]).toEqual([[february], 'history.json refers to it (current best: v1)'])
    expect((await chosen({ transcripts: old })).names).toContain(january)
    write('history.json', { ...ended, rounds: [], ended_at: '2026-03-01T00:00:00Z' })
    expect((await chosen({ folders: old })).names).toEqual([january, february])
  })
  test('all searches of an unfinished session, with their transcripts', async () => {
    const { write, copy, chosen } = cleanWorkspace()
    for (const stamp of ['2026-01-05T00-00-00Z', '2026-01-06T00-00-00Z']) copy(stamp, 'searches')
    write('history.json', { ...ended, split })
    expect((await chosen({ transcripts: old })).names).not.toContain('2026-01-05T00-00-00Z')
    expect((await chosen({ folders: old })).names).toEqual([february])
    write('history.json', { ...ended, split, ended_at: '2026-03-01T00:00:00Z' })
    expect((await chosen({ folders: old })).names).toEqual([february, '2026-01-05T00-00-00Z'])
  })
  test('everything of a session whose history is damaged', async () => {
    const { write, chosen } = cleanWorkspace()
    write('history.json', '{')
    expect((await chosen({ folders: old })).names).toEqual([])
  })
})

describe('nothing outside, and nothing that is not ours', () => {
  test('a link in place of a benchmark or of a whole collection is not followed', async () => {
    const { workspace, at, plan } = cleanWorkspace()
    const outside = folderOf({ 'plan.json': '{}', [`evals/${january}/plan.json`]: '{}' })
    symlinkSync(outside, at('2025-01-01T00-00-00Z'))
    symlinkSync(path.join(outside, 'evals'), path.join(workspace, 'evals'))
    const { report, perform } = await plan({ folders: { olderThanMs: null, keepLast: 1 } })
    expect(report.removals.filter((one) => !one.path.includes(`${path.sep}benchmarks${path.sep}2026`))).toEqual([])
    await perform()
    expect(existsSync(path.join(outside, `evals/${january}/plan.json`))).toBe(true)
    // a real folder of the same kind is ours
    rmSync(path.join(workspace, 'evals'))
    renameSync(path.join(outside, 'evals'), path.join(workspace, 'evals'))
    mkdirSync(path.join(workspace, 'evals', february))
    writeFileSync(path.join(workspace, 'evals', february, 'plan.json'), '{}')
    const { report: now } = await plan({ folders: { olderThanMs: null, keepLast: 1 } })
    expect(now.removals.map((one) => path.relative(workspace, one.path))).toContain(`evals/${january}`)
  })
  test('a folder that is replaced by a link after it was chosen', async () => {
    const { at, plan } = cleanWorkspace()
    const { perform } = await plan({ folders: old })
    const outside = folderOf({ 'keep.txt': 'x' })
    rmSync(at(january), { recursive: true })
    symlinkSync(outside, at(january))
    expect((await perform()).kept).toContainEqual({
      path: at(january),
      reason: 'it is no longer a folder of the workspace',
    })
    expect(readdirSync(outside)).toEqual(['keep.txt'])
  })
  test('a folder without a plan, one with another name, and a folder of another tool', async () => {
    const { at, write, chosen } = cleanWorkspace()
    write('benchmarks/2025-01-01T00-00-00Z/notes.txt', 'mine')
    write('benchmarks/2025-01-03T00-00-00Z/notes.txt', 'mine')
    write('benchmarks/mine/plan.json', '{}')
    expect((await chosen({ folders: old })).names).toEqual([january, february])
    write('benchmarks/2025-01-01T00-00-00Z/plan.json', '{}')
    write('benchmarks/2025-01-02T00-00-00Z/plan.json', '{}')
    expect((await chosen({ folders: old })).names).toContain('2025-01-01T00-00-00Z')
    const named = await chosen({ places: [at('2025-01-03T00-00-00Z')] })
    expect(named.kept).toEqual({ '2025-01-03T00-00-00Z': 'not a result of Whetstone: it has no plan.json' })
    const foreign = folderOf({ 'iteration-1/eval-1/with_skill/grading.json': '{}' })
    expect((await userError(cleanWorkspace().plan({ places: [foreign] }))).message).toContain(
      'no workspace of Whetstone',
    )
  })
})

describe('the cache', () => {
  test('a link in its place is not followed', async () => {
    const { workspace, plan } = cleanWorkspace()
    const [place, outside] = [path.join(workspace, '.cache'), path.join(folderOf({}), 'outside')]
    expect((await plan({ cache: { olderThanMs: null } })).report.removals).toHaveLength(1)
    renameSync(place, outside)
    symlinkSync(outside, place)
    const { report } = await plan({ cache: { olderThanMs: null } })
    expect(report.removals).toEqual([])
    expect(report.kept).toMatchObject([{ path: place, reason: expect.stringContaining('links are not followed') }])
  })
  test('only entries of ours are removed: a folder named .cache may belong to all programs of a user', async () => {
    const { workspace, write, plan } = cleanWorkspace()
    for (const name of ['runs/mine', 'judge/mine.json', 'passes/mine.json', 'tmp/mine']) write(`.cache/${name}`, 'x')
    write(`.cache/passes/${'a'.repeat(64)}.json`, '{}')
    write('.cache/tmp/999999999-1', 'x')
    await (await plan({ cache: { olderThanMs: null } })).perform()
    const left = readdirSync(path.join(workspace, '.cache'), { recursive: true, encoding: 'utf8' })
    expect(left.sort().filter((one) => one.includes('/'))).toEqual([
      ...['judge/mine.json', 'passes/mine.json', 'runs/mine', 'tmp/mine'],
    ])
  })
})

test('what the file system refuses is kept with the reason, the rest goes, and the end is incomplete', async () => {
  const { workspace, at, write, list } = cleanWorkspace()
  mkdirSync(path.join(at(january), '.lease-0.json')) // a folder in its place: nobody can know who works here
  const args = ['clean', workspace, '--older-than', '1d', '--yes']
  const first = await runMain(args)
  expect(first.stdout).toMatch(/Kept .*2026-01-01T00-00-00Z: it can't be removed: .*not a file/)
  expect([first.code, list()]).toEqual([0, [january, finished, interrupted]])
  write('.cache/tmp', 'no folder') // entries can't be moved there
  const second = await runMain(['clean', workspace, '--cache', '--yes'])
  expect(second.code).toBe(3)
  expect(second.stdout).toMatch(/Kept .*\.cache: it can't be removed: E/)
})

test('a removal that was killed leaves a hidden folder, which --temp removes; one of a living process stays', async () => {
  const { workspace, at, plan, list } = cleanWorkspace()
  const dead = tempSiblingName(at(january)).replace(/-\d+-(?=\d*-[0-9a-f]{12}\.)/, '-999999999-') // beyond every process number
  const living = tempSiblingName(at(february))
  renameSync(at(january), dead)
  renameSync(at(february), living)
  const { report, perform } = await plan({ temp: true })
  const own = report.removals.filter((one) => one.path.startsWith(workspace))
  expect(own.map((one) => one.path)).toEqual([dead])
  await perform()
  expect(list()).toEqual([path.basename(living), finished, interrupted].sort())
})

test('the command shows without --yes, removes with it, and refuses senseless values', async () => {
  const { folder, workspace, list } = cleanWorkspace()
  const before = list()
  const shown = await runMain(['clean', '--older-than', '1d'], { cwd: folder })
  expect(shown.stdout).toMatch(/Would remove 2 items[\s\S]*Kept [\s\S]*Nothing was removed: add --yes\./)
  const listing = cleanReport.parse(JSON.parse((await runMain(['clean', '--json'], { cwd: folder })).stdout))
  expect(listing).toMatchObject({ dry_run: true, removals: [], kept: [] })
  expect(listing.workspaces[0]?.kinds.map(({ kind, folders }) => [kind, folders])).toEqual([
    ['benchmarks', 4],
    ['cache', 1],
  ])
  expect(list()).toEqual(before)
  const args = ['clean', workspace, '--older-than', '1d', '--cache', '--yes', '--json']
  const done = cleanReport.parse(JSON.parse((await runMain(args, { cwd: folder })).stdout))
  expect(done.removals.map(({ what }) => what)).toEqual(['folder', 'folder'])
  expect(list()).toEqual([finished, interrupted])
  await runMain(['clean', workspace, '--cache', '--yes'], { cwd: folder })
  expect(readdirSync(path.join(workspace, '.cache/runs'))).toEqual([])
  for (const wrong of [['--keep-last', '0'], ['--older-than', 'soon'], ['nowhere']]) {
    expect((await runMain(['clean', ...wrong], { cwd: folder })).code, wrong.join(' ')).toBe(2)
  }
})

const run = 'eval-1-sort-the-names-in-names-txt/with_skill/run-1'
const all = { olderThanMs: null, keepLast: null }

/** A benchmark with a page, before and after its transcripts are removed. */
async function removedIn() {
  const { finished, plan, ...rest } = cleanWorkspace()
  const request = { folder: finished, candidate: null, baseline: null, force: false, agentskills: null }
  const { benchmark: before } = await aggregateAgain(request, context)
  const decisions = await readJudgeDecisions(finished, await readPlan(finished))
  const done = await (await plan({ places: [finished], transcripts: all })).perform()
  return { ...rest, plan, finished, before, decisions, done, folder: path.join(finished, run) }
}

test('verdicts, numbers, page and labels stay; every reader says that the transcript was removed', async () => {
  const { finished, folder, before, decisions, done, plan } = await removedIn()
  expect(done.removals.map(({ path: place, what }) => [place, what])).toEqual([[finished, 'transcripts']])
  expect(readdirSync(folder).sort()).toEqual(['grading.json', 'outputs', 'removed.json', 'run.json', 'timing.json'])
  expect(readdirSync(path.join(folder, 'outputs'))).toEqual(['metrics.json'])
  const now = benchmark.parse(JSON.parse(readFileSync(path.join(finished, 'benchmark.json'), 'utf8')))
  expect(now.run_summary).toEqual(before.run_summary)
  expect(existsSync(path.join(finished, 'report.html'))).toBe(true)
  const sentence = 'The transcript was removed by whetstone clean on 2026-12-01, with the outputs.'
  expect(readDetail(folder)).toMatchObject({ events: null, transcript: null, removed: sentence, outputs: [] })
  const { cases } = await explain({ folder: finished, case: '1' }, context)
  expect(cases[0]?.runs[0]?.removed).toBe('the transcript was removed by whetstone clean on 2026-12-01')
  const ids = (found: typeof decisions) => found.map(({ id }) => id)
  expect(ids(decisions).length).toBeGreaterThan(0)
  expect(ids(await readJudgeDecisions(finished, await readPlan(finished)))).toEqual(ids(decisions))
  expect((await plan({ places: [finished], transcripts: all })).report.removals).toEqual([])
  const mark = readFileSync(path.join(folder, 'removed.json'), 'utf8')
  writeFileSync(path.join(folder, 'transcript.md'), 'of somebody else')
  await (await plan({ places: [finished], transcripts: all })).perform()
  expect(existsSync(path.join(folder, 'transcript.md'))).toBe(false)
  expect(readFileSync(path.join(folder, 'removed.json'), 'utf8')).toBe(mark)
})

test('a run without its transcript is never graded again, and not repeated by a resume', async () => {
  const { finished, folder } = await removedIn()
  await signBenchmark(finished, findSigner(context.env))
  const events: FlowEvent[] = []
  const own = { ...context, emit: (event: FlowEvent) => events.push(event) }
  const plan = await readPlan(finished)
  await repairBenchmark(finished, plan, own)
  expect([existsSync(path.join(folder, 'run.json')), events]).toEqual([true, []])
  const spec = plan.runs.find(({ run_id }) => run_id === run)
  const stored = await readRun(finished, run)
  if (spec === undefined || stored === null) throw new Error('no run')
  const { grading } = stored
  using pace = openAccountLimiters(undefined, own)
  const sandbox = await chooseSandbox({ ...noSandboxWish, mode: 'off' }, '')
  const request = { plan, folder: finished, spec, passEnv: [], hidden: [], cache: null, pace, again: true }
  const end = await gradeStoredRun({ ...request, stored, sandbox }, own)
  expect(end).toEqual({ end: 'there', grading })
  // where the verdicts are gone too, only a new run can bring them back
  rmSync(path.join(folder, 'grading.json'))
  await repairBenchmark(finished, plan, own)
  expect(existsSync(path.join(folder, 'run.json'))).toBe(false)
})

test('negative control: without the mark the same folder is damaged, and the run starts again', async () => {
  const { finished, folder } = await removedIn()
  await signBenchmark(finished, findSigner(context.env))
  rmSync(path.join(folder, 'removed.json'))
  await repairBenchmark(finished, await readPlan(finished), context)
  expect(existsSync(path.join(folder, 'run.json'))).toBe(false)
})

test('compare names the reason, and grade keeps the verdicts', async () => {
  const { finished, folder, before } = await removedIn()
  const graded = await runMain(['grade', finished, '--anew', '--json', '--sandbox=off', '--trust-suite'], {
    cwd: path.resolve(finished, '../../../..'),
  })
  expect(graded.stdout).toContain('transcript.jsonl was removed by whetstone clean on 2026-12-01')
  expect(existsSync(path.join(folder, 'grading.json'))).toBe(true)
  const now = benchmark.parse(JSON.parse(readFileSync(path.join(finished, 'benchmark.json'), 'utf8')))
  expect(now.run_summary).toEqual(before.run_summary)
})

test('a removal that was killed half-way is readable, and the next one finishes it', async () => {
  const { finished, folder, plan } = await removedIn()
  rmSync(path.join(finished, 'report.html'))
  writeFileSync(path.join(folder, 'transcript.jsonl'), '{"cut')
  mkdirSync(path.join(finished, '.partial/eval-1__with_skill__run-1'), { recursive: true }) // of a killed benchmark
  expect((await explain({ folder: finished, case: '1' }, context)).cases).toHaveLength(1)
  await (await plan({ places: [finished], transcripts: all })).perform()
  expect(existsSync(path.join(folder, 'transcript.jsonl'))).toBe(false)
  expect([existsSync(path.join(finished, '.partial')), existsSync(path.join(finished, 'report.html'))]).toEqual([
    ...[false, true],
  ])
})

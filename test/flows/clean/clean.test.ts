/** clean removes what the rules choose and nothing that is protected; each protection beside the same folder without it. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { cleanReport } from '../../../schemas/clean_report.ts'
import { tempSiblingName } from '../../../src/base/fs/temp_sibling.ts'
import { takeLease } from '../../../src/store/lease/lease.ts'
import { runMain } from '../../cli/run_main.ts'
import { folderOf, userError } from '../../phases/1-plan/folder.ts'
import { cleanWorkspace, day } from './workspace.ts'

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

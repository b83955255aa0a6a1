/** Attempts in the shared folder: one writer each, taken as they were written or not at all. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  findAttempt,
  keepOthers,
  listLeftJobs,
  type SharedAttempt,
} from '../../../../src/features/queue/coordinator/job_cleanup.ts'
import {
  AttemptError,
  attemptFolder,
  beginAttempt,
  commitAttempt,
  fetchAttempt,
  makeRunsFolder,
  sharedPaths,
  writableAttemptFolder,
} from '../../../../src/features/queue/files/shared_runs.ts'
import { record } from '../../../fixtures/record.ts'
import { needs } from '../../../require.ts'

const fresh = () => mkdtempSync(path.join(tmpdir(), 'shared-test-'))
const memory = '/dev/shm'
const isApart = existsSync(memory) && statSync(memory).dev !== statSync(tmpdir()).dev
const apart = isApart ? mkdtempSync(path.join(memory, 'shared-test-')) : null
afterAll(() => apart && rmSync(apart, { recursive: true, force: true }))

const id = 'a'.repeat(64)
const runId = 'eval-1-a/with_skill/run-1'
const mark = (worker: string) => ({ run_id: runId, worker, started_at: '2026-01-01T00:00:00Z' })

/** An attempt of one worker, whole. */
async function attempt(job: string, worker: string) {
  const own = await beginAttempt(job, mark(worker))
  mkdirSync(path.join(own.folder, 'outputs/deep'), { recursive: true })
  writeFileSync(path.join(own.folder, 'run.json'), JSON.stringify(record({ run_id: runId, final_response: worker })))
  writeFileSync(path.join(own.folder, 'outputs/deep/a.txt'), 'a')
  return { attempt: own.mark.attempt, sha256: await commitAttempt(job, own) }
}

needs(
  'a second user',
  process.getuid?.() === 0,
  'run as root',
)('an attempt of another user', () => {
  test('is linked, as it can not be moved: what its worker made durable needs no sync again', async () => {
    const job = path.join(fresh(), 'runs', id)
    const to = path.join(fresh(), 'run')
    const said = await attempt(job, 'a')
    chownSync(attemptFolder(job, 1), 1, 1)
    expect(await fetchAttempt(job, said, to)).toMatchObject({ by: 'linked', record: { final_response: 'a' } })
    const inode = (folder: string) => statSync(path.join(folder, 'outputs/deep/a.txt')).ino
    expect(inode(to)).toBe(inode(attemptFolder(job, 1)))
  })
})

describe('an attempt', () => {
  test('has a number of its own, however many begin at once', async () => {
    const job = path.join(fresh(), id)
    const begun = await Promise.all(['a', 'b', 'c'].map((worker) => beginAttempt(job, mark(worker))))
    expect(begun.map((own) => own.mark.attempt).sort()).toEqual([1, 2, 3])
  })
  test('is moved as it is where that can be done, and then it is none that is left', async () => {
    const benchmark = path.join(fresh(), 'runs')
    const job = path.join(benchmark, id)
    const to = path.join(fresh(), 'run')
    const said = await attempt(job, 'a')
    expect(await fetchAttempt(job, said, to)).toMatchObject({ by: 'moved', record: { final_response: 'a' } })
    expect(existsSync(to)).toBe(false)
    expect(listLeftJobs(benchmark)).toEqual([{ id, runId, upTo: 1 }])
    renameSync(attemptFolder(job, 1), to)
    expect(readdirSync(path.join(to, 'outputs/deep'))).toEqual(['a.txt'])
    // as after an end just here
    expect(readdirSync(benchmark)).toEqual([])
    expect(listLeftJobs(benchmark)).toEqual([])
    expect(findAttempt(job, { run: to, upTo: 1 })).toBeNull()
    // begun when the one that counts had been taken: it is another one, whatever its number
    await beginAttempt(job, mark('b'))
    const told: string[] = []
    await keepOthers(job, { taken: null, upTo: 1, to: fresh(), told: ({ mark: { worker } }) => told.push(worker) })
    expect(told).toEqual(['b'])
  })
  test('that is whole has its number for good, and one that another may have begun', async () => {
    const job = path.join(fresh(), 'runs', id)
    await attempt(job, 'a')
    expect((await beginAttempt(job, mark('b'))).mark.attempt).toBe(2)
    expect((await beginAttempt(job, mark('c'))).mark.attempt).toBe(3)
  })
  test('that counts but lies there still is found by what it is, and not told', async () => {
    const job = path.join(fresh(), 'runs', id)
    const to = path.join(fresh(), 'run')
    await attempt(job, 'late')
    await fetchAttempt(job, await attempt(job, 'counts'), to)
    renameSync(attemptFolder(job, 2), to)
    mkdirSync(attemptFolder(job, 2))
    writeFileSync(path.join(attemptFolder(job, 2), 'run.json'), readFileSync(path.join(to, 'run.json')))
    expect(findAttempt(job, { run: to, upTo: 2 })).toBe(2)
  })
  test('another one that follows the one that was moved is found behind it', async () => {
    const job = path.join(fresh(), 'runs', id)
    await attempt(job, 'a')
    await attempt(job, 'counts')
    await beginAttempt(job, mark('late'))
    renameSync(attemptFolder(job, 2), path.join(fresh(), 'run'))
    const told: [string, string | undefined][] = []
    const kept = fresh()
    const tell = { to: kept, told: (one: SharedAttempt) => told.push([one.mark.worker, one.record?.status]) }
    await keepOthers(job, { taken: null, upTo: 2, ...tell })
    expect(told).toEqual([
      ['a', 'completed'],
      ['late', undefined],
    ])
    expect(readdirSync(kept).sort()).toEqual(['attempt-1', 'attempt-1.json', 'attempt-3', 'attempt-3.json'])
    expect(readdirSync(path.dirname(job))).toEqual([])
  })
  test('whose mark can not be read is told by its record, and not lost', async () => {
    const job = path.join(fresh(), 'runs', id)
    await attempt(job, 'a')
    writeFileSync(path.join(attemptFolder(job, 1), 'timing.json'), '{ "att')
    expect(listLeftJobs(path.dirname(job))).toEqual([{ id, runId, upTo: 1 }])
    const told: unknown[] = []
    await keepOthers(job, { taken: null, upTo: 1, to: fresh(), told: (one) => told.push(one.mark, one.record?.status) })
    const { started_at } = record({})
    expect(told).toEqual([{ attempt: 1, run_id: runId, worker: 'unknown', started_at }, 'completed'])
  })
  test('what somebody else put there is nothing of ours', async () => {
    const benchmark = path.join(fresh(), 'runs')
    for (const name of ['notes.1', `${id}.0`, `${id}.999999`, id])
      mkdirSync(path.join(benchmark, name), { recursive: true })
    expect(listLeftJobs(benchmark)).toEqual([])
  })
  test('claimed by one that was killed in the same moment as it was made whole by another goes with the job', async () => {
    const job = path.join(fresh(), 'runs', id)
    await attempt(job, 'a')
    mkdirSync(`${job}.1.part`)
    await keepOthers(job, { taken: 1, upTo: 1, to: fresh(), told: () => expect.unreachable() })
    expect(readdirSync(path.dirname(job))).toEqual([])
  })
  test('of which nothing was written has not begun: it is not told, and goes with its job', async () => {
    const job = path.join(fresh(), 'runs', id)
    mkdirSync(`${job}.1.part`, { recursive: true })
    expect(listLeftJobs(path.dirname(job))).toEqual([{ id, runId: null, upTo: 1 }])
    await keepOthers(job, { taken: null, upTo: 1, to: fresh(), told: () => expect.unreachable() })
    expect(readdirSync(path.dirname(job))).toEqual([])
  })
  test.runIf(apart !== null)('is copied from another file system, and the copies are not durable yet', async () => {
    const job = path.join(apart ?? '', id)
    const to = path.join(fresh(), 'run')
    expect(await fetchAttempt(job, await attempt(job, 'a'), to)).toMatchObject({ by: 'copied' })
    expect(readdirSync(path.join(to, 'outputs/deep'))).toEqual(['a.txt'])
  })
  test('that is not what its worker said is not fetched; nor is one that is not there', async () => {
    const job = path.join(fresh(), id)
    const to = path.join(fresh(), 'run')
    const said = await attempt(job, 'a')
    writeFileSync(
      path.join(attemptFolder(job, 1), 'run.json'),
      JSON.stringify(record({ run_id: runId, final_response: 'b' })),
    )
    await expect(fetchAttempt(job, said, to)).rejects.toThrow('differs from what the worker wrote')
    await expect(fetchAttempt(job, { ...said, attempt: 2 }, to)).rejects.toThrow('no run found there')
    expect(existsSync(to)).toBe(false)
  })
  test.each([
    ['$.outputs.deleted[0]', { deleted: ['../../../mine'] }],
    ['$.outputs.files[0].path', { files: [{ path: '/mine', bytes: 1, sha256: 'x', change: 'created' }] }],
  ])('whose record names what is outside of its folder is damaged: %s', async (field, named) => {
    const job = path.join(fresh(), id)
    const own = await beginAttempt(job, mark('hostile'))
    const outputs = { files: [], deleted: [], left_out: [], ...named }
    writeFileSync(path.join(own.folder, 'run.json'), JSON.stringify({ ...record({ run_id: runId }), outputs }))
    const said = { attempt: 1, sha256: await commitAttempt(job, own) }
    const to = path.join(fresh(), 'run')
    const fetched = fetchAttempt(job, said, to)
    await expect(fetched).rejects.toThrow(AttemptError)
    await expect(fetched).rejects.toThrow(`run.json: ${field}: must be a relative path below the folder`)
    expect(existsSync(to)).toBe(false)
    expect(readdirSync(attemptFolder(job, 1))).toContain('run.json')
  })
  test('that does not count is told and kept, the one that does is not; then the job is gone', async () => {
    const job = path.join(fresh(), id)
    const to = path.join(fresh(), 'kept')
    await attempt(job, 'late')
    await beginAttempt(job, mark('lost'))
    await attempt(job, 'counts')
    const told: [string, string | undefined][] = []
    await keepOthers(job, { taken: 3, upTo: 3, to, told: (one) => told.push([one.mark.worker, one.record?.status]) })
    expect(told).toEqual([
      ['late', 'completed'],
      ['lost', undefined],
    ])
    expect(readdirSync(to).sort()).toEqual(['attempt-1', 'attempt-1.json', 'attempt-2', 'attempt-2.json'])
    expect(readdirSync(path.dirname(job))).toEqual([])
  })
})

const benchmark = 'b'.repeat(8)

test.runIf(process.getuid?.() === 0)(
  'the folder of attempts has the owner, group and rights of the shared folder',
  () => {
    const shared = fresh()
    chownSync(shared, 65_534, 65_534)
    chmodSync(shared, 0o775)
    const paths = sharedPaths(shared)
    makeRunsFolder(paths, benchmark)
    for (const folder of [paths.benchmark(benchmark), path.dirname(paths.benchmark(benchmark))]) {
      expect(statSync(folder)).toMatchObject({ uid: 65_534, gid: 65_534 })
      expect(statSync(folder).mode & 0o7777).toBe(0o775)
    }
  },
)

test('what is there stays as it is; an attempt is written to the deepest that is there', () => {
  const shared = fresh()
  const paths = sharedPaths(shared)
  expect(writableAttemptFolder(paths, benchmark)).toBe(shared)
  mkdirSync(path.dirname(paths.benchmark(benchmark)), { mode: 0o700 })
  expect(writableAttemptFolder(paths, benchmark)).toBe(path.dirname(paths.benchmark(benchmark)))
  makeRunsFolder(paths, benchmark)
  expect(statSync(path.dirname(paths.benchmark(benchmark))).mode & 0o777).toBe(0o700)
  expect(existsSync(paths.benchmark(benchmark))).toBe(true)
  expect(writableAttemptFolder(paths, benchmark)).toBe(paths.benchmark(benchmark))
  expect(writableAttemptFolder(paths, null)).toBe(path.dirname(paths.benchmark(benchmark)))
})

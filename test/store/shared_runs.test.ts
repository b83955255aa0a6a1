/** Attempts in the shared folder: one writer each, taken as they were written or not at all. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  attemptIn,
  beginAttempt,
  commitAttempt,
  fetchAttempt,
  jobsLeft,
  keepOthers,
  moveAttempt,
} from '../../src/store/shared_runs.ts'
import { record } from '../fixtures/record.ts'

const fresh = () => mkdtempSync(path.join(tmpdir(), 'shared-test-'))
const memory = '/dev/shm'
const isApart = existsSync(memory) && statSync(memory).dev !== statSync(tmpdir()).dev
const apart = isApart ? mkdtempSync(path.join(memory, 'shared-test-')) : null
afterAll(() => apart && rmSync(apart, { recursive: true, force: true }))

const runId = 'eval-1-a/with_skill/run-1'
const mark = (worker: string) => ({ run_id: runId, worker, started_at: '2026-01-01T00:00:00Z' })

/** An attempt of one worker, whole. */
async function attempt(job: string, worker: string) {
  const own = await beginAttempt(job, mark(worker))
  mkdirSync(path.join(own.folder, 'outputs/deep'), { recursive: true })
  writeFileSync(path.join(own.folder, 'run.json'), JSON.stringify(record({ run_id: runId, final_response: worker })))
  writeFileSync(path.join(own.folder, 'outputs/deep/a.txt'), 'a')
  return { attempt: own.number, sha256: await commitAttempt(job, own) }
}

describe('an attempt', () => {
  test('has a number of its own, however many begin at once', async () => {
    const job = path.join(fresh(), 'job')
    const begun = await Promise.all(['a', 'b', 'c'].map((worker) => beginAttempt(job, mark(worker))))
    expect(begun.map(({ number }) => number).sort()).toEqual([1, 2, 3])
  })
  test('is moved as it is where that can be done, and then it is none that is left', async () => {
    const benchmark = path.join(fresh(), 'runs')
    const job = path.join(benchmark, 'job')
    const to = path.join(fresh(), 'run')
    const said = await attempt(job, 'a')
    expect(await fetchAttempt(job, said, to)).toMatchObject({ by: 'moved', record: { final_response: 'a' } })
    expect(existsSync(to)).toBe(false)
    await moveAttempt(job, 1, async (folder) => renameSync(folder, to))
    expect(readdirSync(path.join(to, 'outputs/deep'))).toEqual(['a.txt'])
    // as after an end just here
    expect(jobsLeft(benchmark)).toEqual([{ id: 'job', runId }])
    expect(attemptIn(job, to)).toBeNull()
    expect((await beginAttempt(job, mark('b'))).number).toBe(2)
    const told: string[] = []
    await keepOthers(job, { taken: null, to: fresh(), told: ({ mark: { worker } }) => told.push(worker) })
    expect(told).toEqual(['b'])
  })
  test('that was about to be moved when all ended is there to be fetched again, or told and kept', async () => {
    const job = path.join(fresh(), 'runs/job')
    const kept = fresh()
    const said = await attempt(job, 'a')
    await expect(moveAttempt(job, 1, () => Promise.reject(new Error('killed')))).rejects.toThrow('killed')
    expect((await fetchAttempt(job, said, path.join(fresh(), 'run'))).record.final_response).toBe('a')
    expect((await beginAttempt(job, mark('b'))).number).toBe(2)
    const told: [string, string | undefined][] = []
    await keepOthers(job, { taken: 2, to: kept, told: (one) => told.push([one.mark.worker, one.record?.status]) })
    expect(told).toEqual([['a', 'completed']])
    expect(readdirSync(kept).sort()).toEqual(['attempt-1', 'attempt-1.json'])
  })
  test('is linked where it can be moved nowhere: what its worker made durable needs no sync again', async () => {
    const job = path.join(fresh(), 'runs/job')
    const to = path.join(fresh(), 'run')
    const said = await attempt(job, 'a')
    // its place is taken by the name of the trial
    mkdirSync(path.join(path.dirname(to), `.probe-${process.pid}`))
    expect(await fetchAttempt(job, said, to)).toMatchObject({ by: 'linked', record: { final_response: 'a' } })
    const inode = (folder: string) => statSync(path.join(folder, 'outputs/deep/a.txt')).ino
    expect(inode(to)).toBe(inode(path.join(job, 'attempt-1')))
  })
  test.runIf(apart !== null)('is copied from another file system, and the copies are not durable yet', async () => {
    const job = path.join(apart ?? '', 'job')
    const to = path.join(fresh(), 'run')
    expect(await fetchAttempt(job, await attempt(job, 'a'), to)).toMatchObject({ by: 'copied' })
    expect(readdirSync(path.join(to, 'outputs/deep'))).toEqual(['a.txt'])
  })
  test('that is not what its worker said is not fetched; nor is one that is not there', async () => {
    const job = path.join(fresh(), 'job')
    const to = path.join(fresh(), 'run')
    const said = await attempt(job, 'a')
    writeFileSync(path.join(job, 'attempt-1/run.json'), JSON.stringify(record({ run_id: runId, final_response: 'b' })))
    await expect(fetchAttempt(job, said, to)).rejects.toThrow('not what the worker wrote')
    await expect(fetchAttempt(job, { ...said, attempt: 2 }, to)).rejects.toThrow('no run lies there')
    expect(existsSync(to)).toBe(false)
  })
  test('that does not count is told and kept, the one that does is not; then the job is gone', async () => {
    const job = path.join(fresh(), 'job')
    const to = path.join(fresh(), 'kept')
    await attempt(job, 'late')
    await beginAttempt(job, mark('lost'))
    await attempt(job, 'counts')
    const told: [string, string | undefined][] = []
    await keepOthers(job, { taken: 3, to, told: (one) => told.push([one.mark.worker, one.record?.status]) })
    expect(told).toEqual([
      ['late', 'completed'],
      ['lost', undefined],
    ])
    expect(readdirSync(to).sort()).toEqual(['attempt-1', 'attempt-1.json', 'attempt-2.json'])
    expect(existsSync(job)).toBe(false)
  })
})

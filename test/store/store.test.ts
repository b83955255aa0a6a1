/** A run counts when its whole folder is in place; half-written things are never taken for finished ones. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { timing } from '../../schemas/timing.ts'
import { isTrusted, rememberTrust } from '../../src/store/cache/trusted_suites.ts'
import { runPaths } from '../../src/store/paths.ts'
import { findRef } from '../../src/store/repos/list_refs.ts'
import { mapRunFolders, runFolderKey } from '../../src/store/run_folders.ts'
import {
  commitRun,
  createBenchmark,
  listBenchmarks,
  readRun,
  writeArtefact,
  writeGrading,
} from '../../src/store/store.ts'
import { record } from '../fixtures/record.ts'
import { specOf } from '../fixtures/run_spec.ts'
import { testSigner } from '../fixtures/signed_cache.ts'

const fresh = () => mkdtempSync(path.join(tmpdir(), 'store-test-'))
const runId = 'eval-1-a/with_skill/run-1'

function partialRun(folder: string): string {
  const partial = path.join(folder, '.partial/x')
  mkdirSync(path.join(partial, 'outputs'), { recursive: true })
  writeFileSync(path.join(partial, 'run.json'), JSON.stringify(record({ run_id: runId })))
  writeFileSync(path.join(partial, 'timing.json'), '{"duration_ms": 5}')
  return partial
}

describe('a run', () => {
  test('is there after its commit, not before', async () => {
    const folder = fresh()
    const partial = partialRun(folder)
    expect(await readRun(folder, runId)).toBeNull()
    await commitRun(partial, { benchmark: folder, runId, signer: testSigner })
    expect(await readRun(folder, runId)).toMatchObject({ record: { status: 'completed' }, grading: null })
    expect(existsSync(partial)).toBe(false)
  })
  test('replaces an earlier one of its place', async () => {
    const folder = fresh()
    await commitRun(partialRun(folder), { benchmark: folder, runId, signer: testSigner })
    writeFileSync(path.join(folder, runId, 'old'), '')
    await commitRun(partialRun(folder), { benchmark: folder, runId, signer: testSigner })
    expect(existsSync(path.join(folder, runId, 'old'))).toBe(false)
  })
  test('whose record is cut off is not there', async () => {
    const folder = fresh()
    await commitRun(partialRun(folder), { benchmark: folder, runId, signer: testSigner })
    const file = runPaths(folder, runId).record
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 100))
    expect(await readRun(folder, runId)).toBeNull()
  })
})

test('an approval is of all that was approved, and of one user', () => {
  const env = { XDG_STATE_HOME: fresh() }
  rememberTrust(['a', 'b'], env)
  const known = [['a'], ['a', 'b'], ['a', 'c']].map((hashes) => isTrusted(hashes, env))
  expect([...known, isTrusted(['a'], { XDG_STATE_HOME: fresh() })]).toEqual([true, true, false, false])
})

test.each(['1a2b3c4', 'main~2'])('%s, which no list of refs has, may be a commit', (ref) => {
  const refs = { commits: new Map([['refs/heads/main', 'f']]), head: 'main' }
  expect(findRef(ref, refs, 's')).toEqual({ commit: null, branch: 'main' })
  expect(() => findRef('mian', refs, 's')).toThrow('no ref "mian"')
})

describe('artefacts', () => {
  test('unfit values are refused before anything is written', async () => {
    const file = path.join(fresh(), 'timing.json')
    await expect(writeArtefact(timing, file, { duration_ms: -1 })).rejects.toThrow('$.duration_ms')
    expect(existsSync(file)).toBe(false)
  })
  test('leave no temporary file behind', async () => {
    const folder = fresh()
    await writeArtefact(timing, path.join(folder, 'timing.json'), { duration_ms: 1 })
    expect(readdirSync(folder)).toEqual(['timing.json'])
  })
  test('grading adds its times, if they are worth telling, to timing.json and keeps the rest', async () => {
    const folder = fresh()
    await commitRun(partialRun(folder), { benchmark: folder, runId, signer: testSigner })
    const summary = { passed: 0, failed: 0, total: 0, pass_rate: 0 }
    const graded = { expectations: [], summary }
    await writeGrading({ benchmark: folder, runId, signer: testSigner }, graded, null)
    const before = await readRun(folder, runId)
    expect(before).toMatchObject({ timing: { duration_ms: 5 }, grading: { summary } })
    await writeGrading({ benchmark: folder, runId, signer: testSigner }, graded, {
      start: '2026-01-01T00:00:00Z',
      end: '2026-01-01T00:00:02Z',
      seconds: 2,
    })
    expect(await readRun(folder, runId)).toMatchObject({
      timing: { duration_ms: 5, grader_duration_seconds: 2 },
      grading: { summary },
    })
  })
})

describe('benchmarks', () => {
  test('two in the same second get names of their own, newest first', async () => {
    const workspace = fresh()
    const moment = new Date('2026-01-15T10:30:00Z')
    const made = []
    for (let n = 0; n < 11; n += 1) made.push(await createBenchmark(workspace, moment))
    const later = await createBenchmark(workspace, new Date('2026-01-15T10:30:01Z'))
    expect(path.basename(made[1] ?? '')).toBe('2026-01-15T10-30-00Z-2')
    expect((await listBenchmarks(workspace)).slice(0, 2)).toEqual([later, made[10]])
    expect(await listBenchmarks(workspace)).toHaveLength(12)
  })
  test('a workspace that cannot be written is a user error', async () => {
    const file = path.join(fresh(), 'file')
    writeFileSync(file, '')
    await expect(createBenchmark(file, new Date())).rejects.toThrow('workspace')
  })
})

test('the folders of runs are given by their keys, in the order of the runs', () => {
  const runs = [1, 2].map((number) => specOf({ run_number: number, run_id: `eval-1-a/with_skill/run-${number}` }))
  const folders = mapRunFolders('/b', runs)
  expect([...folders]).toEqual(runs.map((run) => [runFolderKey(run), `/b/${run.run_id}`]))
  expect(folders.get('1/with_skill/run-2')).toBe('/b/eval-1-a/with_skill/run-2')
})

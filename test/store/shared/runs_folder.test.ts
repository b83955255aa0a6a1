/** The folder of a benchmark's attempts is open to whoever may write to the shared folder. */
import { chmodSync, chownSync, existsSync, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { makeRunsFolder, sharedPaths, writableAttemptFolder } from '../../../src/store/shared/shared_runs.ts'
import { fresh } from '../../e2e/program.ts'

const id = 'b'.repeat(8)

test.runIf(process.getuid?.() === 0)('has its owner, its group and its rights', () => {
  const shared = fresh()
  chownSync(shared, 65_534, 65_534)
  chmodSync(shared, 0o775)
  const paths = sharedPaths(shared)
  makeRunsFolder(paths, id)
  for (const folder of [paths.benchmark(id), path.dirname(paths.benchmark(id))]) {
    expect(statSync(folder)).toMatchObject({ uid: 65_534, gid: 65_534 })
    expect(statSync(folder).mode & 0o7777).toBe(0o775)
  }
})

test('what is there stays as it is; an attempt is written to the deepest that is there', () => {
  const shared = fresh()
  const paths = sharedPaths(shared)
  expect(writableAttemptFolder(paths, id)).toBe(shared)
  mkdirSync(path.dirname(paths.benchmark(id)), { mode: 0o700 })
  expect(writableAttemptFolder(paths, id)).toBe(path.dirname(paths.benchmark(id)))
  makeRunsFolder(paths, id)
  expect(statSync(path.dirname(paths.benchmark(id))).mode & 0o777).toBe(0o700)
  expect(existsSync(paths.benchmark(id))).toBe(true)
  expect(writableAttemptFolder(paths, id)).toBe(paths.benchmark(id))
  expect(writableAttemptFolder(paths, null)).toBe(path.dirname(paths.benchmark(id)))
})

/** The folders of runs are a map like any other. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { RunFolders, runKey } from '../../src/flows/run_folders.ts'
import { specOf } from '../fixtures/run_spec.ts'

test('by key, in order, and none for another', () => {
  const runs = [1, 2].map((number) => specOf({ run_number: number, run_id: `eval-1-a/with_skill/run-${number}` }))
  const folders = new RunFolders('/b', runs)
  const usual = new Map(runs.map((run) => [runKey(run), path.join('/b', run.run_id)]))
  expect([...folders]).toEqual([...usual])
  expect([...folders.keys()]).toEqual([...usual.keys()])
  expect([...folders.values()]).toEqual([...usual.values()])
  const seen: string[] = []
  folders.forEach((folder, key) => {
    seen.push(`${key} ${folder}`)
  })
  expect(seen).toEqual([...usual].map(([key, folder]) => `${key} ${folder}`))
  expect([folders.size, folders.has('1/with_skill/run-2'), folders.get('1/with_skill/run-2')]).toEqual([
    2,
    true,
    '/b/eval-1-a/with_skill/run-2',
  ])
  for (const key of ['1/with_skill/run-3', '2/with_skill/run-1', '1/with_skill', '']) {
    expect([folders.has(key), folders.get(key)]).toEqual([false, undefined])
  }
})

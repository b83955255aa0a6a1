/** The folder of each run of a benchmark. */
import { expect, test } from 'vitest'
import { mapRunFolders, runFolderKey } from '../../src/store/run_folder_map.ts'
import { specOf } from '../fixtures/run_spec.ts'

test('by key, in the order of the runs', () => {
  const runs = [1, 2].map((number) => specOf({ run_number: number, run_id: `eval-1-a/with_skill/run-${number}` }))
  const folders = mapRunFolders('/b', runs)
  expect([...folders]).toEqual(runs.map((run) => [runFolderKey(run), `/b/${run.run_id}`]))
  expect(folders.get('1/with_skill/run-2')).toBe('/b/eval-1-a/with_skill/run-2')
})

/** What aggregate and view advise for a folder in which nothing can be written. */
import { spawnSync } from 'node:child_process'
import { afterAll, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { needs } from '../../require.ts'
import { folderOf, graded } from '../../store/foreign/folder.ts'

const both = {
  'eval-1/with_skill/grading.json': graded(2, 2, 'a'),
  'eval-1/without_skill/grading.json': graded(1, 2, 'b'),
}

const mounts: string[] = []
afterAll(() => {
  for (const folder of mounts) spawnSync('umount', ['-l', folder])
})

/** The folder itself, mounted so that nothing can be written; null where that is not allowed. */
function readOnly(folder: string): string | null {
  if (spawnSync('mount', ['--bind', folder, folder]).status !== 0) return null
  mounts.push(folder)
  return spawnSync('mount', ['-o', 'remount,ro,bind', folder]).status === 0 ? folder : null
}

const locked = readOnly(folderOf(both))
needs(
  'a mount that is read-only',
  locked !== null,
  'run as root, where mount is allowed',
)('a folder to read only', () => {
  test.each(['aggregate', 'view'])('%s advises what there is', async (command) => {
    const end = await runMain([command, locked ?? '', ...(command === 'view' ? ['--no-open'] : [])])
    expect(end.code).toBe(2)
    expect(end.stderr).toMatch(/reports can't be written there[\s\S]*\nhint: copy the folder/)
    expect(end.stderr).not.toContain('--workspace')
  })
})

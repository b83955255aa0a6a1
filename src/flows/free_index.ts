/** An index is written over nothing that is not ours: the folder may be a project with a page of its own. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../base/error.ts'
import { indexPaths } from '../store/paths.ts'

/** `folder`: absolute, without an index of ours. Throws UserError where a file of an index's name is somebody else's. */
export async function refuseTakenIndex(folder: string): Promise<void> {
  const { index, markdown, page } = indexPaths(folder)
  for (const [file, sign] of [
    [page, '<title>Skill benchmarks</title>'],
    [markdown, '# Skill benchmarks'],
    [index, null],
  ] as const) {
    const text = await readFile(file, 'utf8').catch(() => null)
    if (text === null || (sign !== null && text.includes(sign))) continue
    throw new UserError(
      `${folder}: an index of the workspaces in it has no place: ${path.basename(file)} is there and is not ours`,
      'name one of the workspaces',
    )
  }
}

/** Prevents an index from overwriting foreign files: the folder may be a project with its own page. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { indexPaths } from '../../store/paths.ts'

/** `folder`: absolute, without a Whetstone index. Throws UserError if a file with an index's name has another origin. */
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
      `${folder}: can't write an index of its workspaces: ${path.basename(file)} exists and is not from Whetstone`,
      'pass one of the workspaces',
    )
  }
}

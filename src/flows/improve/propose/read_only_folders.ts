/** Restores folders that must not change while something else works. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { copyWalk, hashWalk, pathExists, walk } from '../../../base/fs/files.ts'

/**
 * Copies the folders, runs `work`, and restores what changed; `changed` names the folders, null: none. `scratch` holds the copies during
 * `work`; `aside` keeps changed files, since the author may have edited them.
 */
export async function guardFolders<R>(
  folders: readonly string[],
  { scratch, aside }: { scratch: string; aside: string },
  work: () => Promise<R>,
): Promise<{ result: R; changed: string | null }> {
  const kept = await Promise.all(
    folders.map(async (folder, at) => {
      const { files } = await walk(folder, options)
      const copy = path.join(scratch, `kept-${at}`)
      await copyWalk(files, copy)
      return { folder, copy, sha256: await hashWalk(files) }
    }),
  )
  const result = await work()
  const changed: string[] = []
  for (const { folder, copy, sha256 } of kept) {
    const now = (await pathExists(folder)) ? await hashWalk((await walk(folder, options)).files) : null
    if (now === sha256) continue
    changed.push(folder)
    const files = now === null ? [] : (await walk(folder, options)).files
    await copyWalk(files, path.join(aside, path.basename(folder)))
    for (const file of files) await rm(file.source, { force: true })
    if (await pathExists(copy)) await copyWalk((await walk(copy, options)).files, folder)
  }
  return { result, changed: changed.length === 0 ? null : changed.join(', ') }
}

const options = {
  links: 'never',
  unreadable: 'leave_out',
  skip: (name: string) => /(^|\/)(node_modules|\.git)(\/|$)/.test(name),
} as const

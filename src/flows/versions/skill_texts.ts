/** Reads a version's files, and writes versions as folders. */
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { copyWalk, isExecutable, type WalkedFile } from '../../base/fs/files.ts'
import { sha256 } from '../../base/json/json.ts'
import { listSkillFiles } from '../../phases/1-plan/skill/read_skill.ts'
import type { VersionFiles } from '../../phases/5-improve/edits/merge_files.ts'
import { extractReadable, type SkillFile } from '../../phases/5-improve/skill_edit.ts'

export async function readSkillTexts(folder: string): Promise<SkillFile[]> {
  return await readFileTexts((await listSkillFiles(folder)).files)
}

export async function readFileTexts(files: readonly WalkedFile[]): Promise<SkillFile[]> {
  return await Promise.all(
    files.map(async ({ path: name, source, bytes }) => {
      const content = await readFile(source)
      const text = content.includes(0) ? null : content.toString('utf8')
      return {
        ...{ path: name, bytes, sha256: sha256(content), isExecutable: isExecutable(source) },
        ...{ text, readable: text ?? extractReadable(content) },
      }
    }),
  )
}

export async function readVersionFiles(files: readonly WalkedFile[]): Promise<VersionFiles> {
  const read = files.map(async ({ path: name, source }) => {
    return [name, { content: await readFile(source), isExecutable: isExecutable(source) }] as const
  })
  return new Map(await Promise.all(read))
}

/** Copies the files that agents may see, all or none, and replaces the target. */
export async function writeVersion(files: readonly WalkedFile[], target: string): Promise<void> {
  await replaceFolder(target, async (partial) => await copyWalk(files, partial))
}

/** Writes the files, all or none, and replaces the target. */
export async function writeVersionFiles(files: VersionFiles, target: string): Promise<void> {
  await replaceFolder(target, async (partial) => {
    for (const [name, { content, isExecutable: mayRun }] of files) {
      const file = path.join(partial, name)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, content)
      if (mayRun) await chmod(file, 0o755)
    }
  })
}

async function replaceFolder(target: string, fill: (partial: string) => Promise<void>): Promise<void> {
  const partial = path.join(path.dirname(target), `.partial-${path.basename(target)}`)
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true })
  await fill(partial)
  await rm(target, { recursive: true, force: true })
  await rename(partial, target)
}

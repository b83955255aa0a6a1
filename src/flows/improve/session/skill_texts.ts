/** Reads a version's files as texts, and writes versions as folders. */
import { readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { copyWalk, isExecutable, type WalkedFile } from '../../../base/fs/files.ts'
import { sha256 } from '../../../base/json/json.ts'
import { listSkillFiles } from '../../../phases/1-plan/skill/read_skill.ts'
import { extractReadable, type SkillFile } from '../../../phases/5-improve/skill_edit.ts'

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

/** Copies the files that agents may see, all or none, and replaces the target. */
export async function writeVersion(files: readonly WalkedFile[], target: string): Promise<void> {
  const partial = path.join(path.dirname(target), `.partial-${path.basename(target)}`)
  await rm(partial, { recursive: true, force: true })
  await copyWalk(files, partial)
  await rm(target, { recursive: true, force: true })
  await rename(partial, target)
}

/** The files of a version as texts, and versions laid out as folders. */
import { readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { copyWalk, isExecutable, type WalkedFile } from '../../base/files.ts'
import { sha256 } from '../../base/json.ts'
import { skillFiles } from '../../phases/1-plan/skill.ts'
import { readableIn, type SkillFile } from '../../phases/5-improve/skill_edit.ts'

export async function skillTexts(folder: string): Promise<SkillFile[]> {
  return await textsOf((await skillFiles(folder)).files)
}

export async function textsOf(files: readonly WalkedFile[]): Promise<SkillFile[]> {
  return await Promise.all(
    files.map(async ({ path: name, source, bytes }) => {
      const content = await readFile(source)
      const text = content.includes(0) ? null : content.toString('utf8')
      return {
        ...{ path: name, bytes, sha256: sha256(content), isExecutable: isExecutable(source) },
        ...{ text, readable: text ?? readableIn(content) },
      }
    }),
  )
}

/** Copies what agents may see of a skill, whole or not at all, in place of what is there. */
export async function layVersion(files: readonly WalkedFile[], target: string): Promise<void> {
  const partial = path.join(path.dirname(target), `.partial-${path.basename(target)}`)
  await rm(partial, { recursive: true, force: true })
  await copyWalk(files, partial)
  await rm(target, { recursive: true, force: true })
  await rename(partial, target)
}

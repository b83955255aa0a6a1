/** Gives a skill whose SKILL.md lacks name or description the ones that the user names, in a copy. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { LoadWarning, Skill } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { copyWalk } from '../../../base/fs/files.ts'
import { splitFrontmatter } from './frontmatter.ts'
import { listSkillFiles, readSkill } from './read_skill.ts'
import type { SkillLinks } from './skill_links.ts'

/** What the user says of a skill that does not say it itself; null: not named. */
export interface SkillNaming {
  name: string | null
  description: string | null
}

export interface NamedSkill {
  skill: Skill
  /** The folder with what agents get. */
  folder: string
  /** What the naming had to add. */
  defects: LoadWarning[]
  warnings: LoadWarning[]
}

/**
 * Reads the skill; with a naming, as a copy in `target` with a complete SKILL.md. The author's folder stays as it is. Throws UserError if
 * SKILL.md already says what is named.
 */
export async function readNamedSkill(
  folder: string,
  { links, naming, target }: { links: SkillLinks | undefined; naming: SkillNaming | undefined; target: string },
): Promise<NamedSkill> {
  if (!naming || (naming.name === null && naming.description === null)) {
    const { skill, warnings } = await readSkill(folder, links)
    return { skill, folder, warnings, defects: [] }
  }
  const file = path.join(folder, 'SKILL.md')
  const text = addFields(await readFile(file, 'utf8').catch(() => ''), naming, file)
  const copy = path.join(target, path.basename(folder))
  await copyWalk((await listSkillFiles(folder, links)).files, copy)
  await writeFile(path.join(copy, 'SKILL.md'), text)
  const read = await readSkill(copy, links).catch((error: unknown) => {
    throw error instanceof UserError ? new UserError(error.message.replaceAll(copy, folder), error.fix) : error
  })
  const flags = Object.entries(naming).flatMap(([name, value]) => (value === null ? [] : [`--${name}`]))
  const lacks = Object.entries(naming).flatMap(([name, value]) => (value === null ? [] : [name]))
  const defect = {
    file,
    at: 'frontmatter',
    message: `SKILL.md has no ${lacks.join(' and no ')}: agents do not load this skill as it is. The runs had it with ${flags.join(' and ')}`,
    fix: `add to its frontmatter: ${lacks.join(', ')}`,
  }
  return {
    skill: { ...read.skill, path: path.resolve(folder) },
    folder: copy,
    defects: [defect],
    warnings: [...read.warnings.map((one) => ({ ...one, file: one.file.replace(copy, folder) }))],
  }
}

/** SKILL.md with the fields at the top of its frontmatter. */
function addFields(text: string, naming: SkillNaming, file: string): string {
  const { block, body } = splitFrontmatter(text)
  const fields = Object.entries(naming).filter(([, value]) => value !== null)
  for (const [name] of fields)
    if (new RegExp(`^${name}:`, 'm').test(block ?? ''))
      throw new UserError(`--${name}: ${file} has a ${name} already`, `change it there, or leave out --${name}`)
  const lines = fields.map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return ['---', ...lines, ...(block ? [block] : []), '---', body].join('\n')
}

/** Reads a skill folder: what SKILL.md says, and the files that agents may see (never evals). A copy gets a name and description that it lacks. */
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { LoadWarning, Skill } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { copyWalk, hashWalk, listEntries, pathExists, type Walk, walk } from '../../../base/fs/files.ts'
import { describeMissingPath, isDeadLink, missingPathError } from '../../../base/fs/nearest_path.ts'
import { readText } from '../../../base/json/json.ts'
import { missingScripts } from '../check/text/command_scripts.ts'
import { readFrontmatter, splitFrontmatter } from './frontmatter.ts'
import { followSkillLinks, refuseSkillLinks, type SkillLinks } from './skill_links.ts'

const hiddenAnywhere = new Set(['.git', 'node_modules', '.DS_Store'])
/** Left out at the top of the skill: the answers, results and Whetstone's configuration. */
const hiddenAtTop = new Set([
  ...['evals', 'evals.json', 'workspaces'],
  ...['eval', 'evals', 'EVAL', 'suite', 'promptfooconfig'].flatMap((name) => [`${name}.yaml`, `${name}.yml`]),
  ...['whetstone.config.yaml', 'whetstone.config.yml', 'whetstone.config.json'],
])

/**
 * Reads a skill. An invalid name is only a warning, since agents load such skills too. Throws UserError for a missing
 * folder, SKILL.md, frontmatter, name or description, and for a link out of the skill that is not followed.
 */
export async function readSkill(
  folder: string,
  links: SkillLinks = 'repository',
): Promise<{ skill: Skill; warnings: LoadWarning[] }> {
  const root = path.resolve(folder)
  const file = await skillFile(root)
  const text = await readText(file)
  const { name, description, isUserOnly } = readFrontmatter(text, file)
  const { files, leftOut } = await listSkillFiles(root, links)
  refuseSkillLinks(root, leftOut)
  const messages = doubts(name, description, path.basename(root))
  const missed = leftOut.map(({ path: at, reason, target }) => {
    const to = target === undefined ? '' : ` to ${target}`
    return { file: root, at, message: `${reason}${to}: agents get the skill without it` }
  })
  const known = files.map((one) => one.path)
  const scripts = missingScripts(text.split(/\r?\n/), known, root).map(({ name: script, line }) => {
    return { file, at: `line ${line + 1}`, message: `SKILL.md calls ${script}, which does not exist` }
  })
  return {
    skill: {
      ...{ name, description, path: root, sha256: await hashWalk(files) },
      ...(isUserOnly && { user_only: true as const }),
    },
    warnings: [...messages.map((message) => ({ file, at: 'frontmatter', message })), ...missed, ...scripts],
  }
}

const folderFix = 'pass the folder that contains SKILL.md'

/**
 * Lists every file of the skill that an agent may see. Follows links out of it, since readSkill refuses those that the user
 * does not want. Throws UserError if the folder is missing, or if there is too much behind its links.
 */
export async function listSkillFiles(folder: string, links: SkillLinks = 'copy'): Promise<Walk> {
  if (!(await pathExists(folder))) throw missingPathError(folder, 'folder', folderFix)
  const outside = followSkillLinks(folder, links, isHiddenFromAgents)
  return walk(folder, { skip: isHiddenFromAgents, outside })
}

/** Whether a path relative to the skill (with /) is hidden from agents. */
export function isHiddenFromAgents(relative: string): boolean {
  const parts = relative.split('/')
  const isHidden = (part: string) => hiddenAnywhere.has(part) || /^EVAL\.md$|.\.(EVAL|eval)\.(md|ya?ml)$/.test(part)
  return hiddenAtTop.has(parts[0] ?? '') || parts.some(isHidden)
}

async function skillFile(root: string): Promise<string> {
  const info = await stat(root).catch(() => null)
  const fix = folderFix
  if (info === null) throw missingPathError(root, 'folder', fix)
  if (!info.isDirectory()) throw new UserError(`${root}: not a folder`, fix)
  const file = path.join(root, 'SKILL.md')
  if (await pathExists(file)) return file
  if (isDeadLink(file)) throw new UserError(`${file}: ${describeMissingPath(file, 'no such file')}`, fix)
  const other = listEntries(root).find(({ name }) => name.toLowerCase() === 'skill.md')
  const rename = other === undefined ? null : `rename ${other.name} to SKILL.md`
  throw new UserError(
    `${root}: no SKILL.md in this folder`,
    rename ?? skillsFix(root) ?? 'add a SKILL.md, or pass the folder that contains one',
  )
}

/** Hint for a folder that contains skills; null: it contains none. */
function skillsFix(root: string): string | null {
  const [first] = listEntries(root).filter(({ name }) => existsSync(path.join(root, name, 'SKILL.md')))
  if (first === undefined) return null
  const shown = path.relative(process.cwd(), root) || '.'
  return `the folder contains skills: pass one, such as ${path.join(shown, first.name)}, or all: ${shown}/*`
}

/** Breaches of the rules of SKILL.md that leave the name and description usable. */
function doubts(name: string, description: string, folder: string): string[] {
  const found: string[] = []
  if (name !== folder) found.push(`name is ${name}, its folder is ${folder}; they should be equal`)
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > 64) {
    found.push(`name ${name}: agents expect 1 to 64 of a-z, 0-9 and single hyphens between them`)
  }
  if (description.length > 1024) found.push(`description has ${description.length} characters; agents allow 1,024`)
  return found
}

/** Whether two names refer to one skill; a plugin's skill may be written plugin:name. */
export function isSameSkill(a: string, b: string): boolean {
  const bare = (name: string) => name.trim().split(':').at(-1)
  return bare(a) === bare(b)
}

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

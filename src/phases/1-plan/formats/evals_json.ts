/** evals.json, in skill-creator's dialect, agentskills.io's and what authors made of them; docs/formats.md lists it all. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Suite } from '../../../../schemas/suite.ts'
import { isDeadLink } from '../../../base/dead_link.ts'
import { UserError } from '../../../base/error.ts'
import { exists } from '../../../base/files.ts'
import { parseJson, readText } from '../../../base/json.ts'
import { readFrontmatter } from '../frontmatter.ts'
import type { InspectedSuite } from '../inspected.ts'
import { collectWarnings, type Warn } from '../warnings.ts'
import { additionsOf, refuseMistakes, sandboxOf } from './evals_json/additions.ts'
import { readCase } from './evals_json/case.ts'
import { isMeantAsCases, openDocument } from './evals_json/document.ts'
import { assignIds } from './evals_json/ids.ts'
import { warnOfLost } from './evals_json/lost.ts'

/** The largest of 1,700 real ones has 187 KB. */
const longest = 16 * 1024 * 1024

export const evalsJsonPlaces = ['evals/evals.json', 'evals.json']

/** The evals.json of a skill's folder, or null. A link that leads nowhere is meant as one, and is told by whoever reads it. */
export async function findEvalsJson(folder: string): Promise<string | null> {
  for (const place of evalsJsonPlaces) {
    const file = path.join(folder, place)
    if ((await exists(file)) || isDeadLink(file) || isDeadLink(path.dirname(file))) return file
  }
  return null
}

/** Whether a .json file is meant as a suite, right or wrong: by its name, its folder or what it holds. */
export async function isMeantAsEvals(file: string): Promise<boolean> {
  if (path.basename(path.dirname(file)) === 'evals' || /(^|[-_.])evals?(\..*)?\.json$/.test(path.basename(file)))
    return true
  const { size } = await stat(file).catch(() => ({ size: Number.POSITIVE_INFINITY }))
  if (size > longest) return false
  const text = await readText(file)
  try {
    return isMeantAsCases(parseJson(text, file))
  } catch (error) {
    if (error instanceof UserError) return /"(?:evals|prompt)"/.test(text)
    throw error
  }
}

/**
 * Reads an evals.json leniently; whatever is forgiven is a warning of the suite. A case whose input is missing stays,
 * with `cannot_run`. Throws UserError for a file that is no JSON or has no cases, and for mistakes in fields of our own.
 */
export async function loadEvalsJson(file: string, skillRoot: string): Promise<Suite> {
  const { suite, mistakes } = await inspectEvalsJson(file, skillRoot)
  refuseMistakes(mistakes, file)
  return suite
}

/** The same, with every mistake in the fields of our own (a case's own fields are left out then) instead of an error for them. */
export async function inspectEvalsJson(file: string, skillRoot: string): Promise<InspectedSuite> {
  const { warn, list } = collectWarnings(file)
  const { size } = await stat(file).catch(() => ({ size: 0 }))
  if (size > longest) throw new UserError(`${file}: larger than ${longest} bytes`, 'split it')
  const text = await readText(file)
  const { cases, skillName, sandbox: asked } = openDocument(parseJson(text, file), file, warn)
  await warnOfLost(text, file, warn)
  const { additions, mistakes } = await additionsOf(cases, { root: skillRoot, warn })
  const sandbox = sandboxOf(asked, mistakes)
  const ids = assignIds(cases, warn)
  const place = { file, root: skillRoot, warn }
  const read: Suite['cases'] = []
  for (const [index, source] of cases.entries()) {
    const [own, id] = [additions[index], ids[index]]
    if (own !== undefined && id !== undefined) read.push(await readCase({ source, own, id }, place))
  }
  const skill_name = skillName ?? (await nameOfSkill(skillRoot, warn))
  const own = sandbox === undefined ? {} : { sandbox }
  const suite = { format: 'evals.json', path: file, skill_name, ...own, cases: read, warnings: list() }
  return { suite, places: cases.map(({ at }) => ({ file, at })), mistakes }
}

/** The name in the SKILL.md of that folder, else the folder's own. */
export async function nameOfSkill(root: string, warn: Warn): Promise<string> {
  const file = path.join(root, 'SKILL.md')
  const text = await readText(file).catch(() => null)
  const name = text === null ? null : nameIn(text, file)
  const from = name === null ? "the folder's name" : "SKILL.md's name"
  warn('$', `names no skill; ${from} is used`)
  return name ?? (path.basename(root) || 'skill')
}

function nameIn(text: string, file: string): string | null {
  try {
    return readFrontmatter(text, file).name
  } catch (error) {
    if (error instanceof UserError) return null
    throw error
  }
}

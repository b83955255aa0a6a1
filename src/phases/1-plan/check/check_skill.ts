/** Checks one skill and its suite and collects every problem in one list; a problem never ends the check. */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Problem } from '../../../../schemas/check_report.ts'
import { errorMessage, UserError } from '../../../base/errors/error.ts'
import { describeMissingPath } from '../../../base/fs/dead_link.ts'
import { pathExists, walk } from '../../../base/fs/files.ts'
import { readText } from '../../../base/json/json.ts'
import { findPluginEvals } from '../formats/plugin_eval.ts'
import { isHiddenFromAgents } from '../skill/read_skill.ts'
import type { InspectedSuite } from '../suite/inspected_suite.ts'
import { findSkillRoot, hasSuite, inspectSuite } from '../suite/load_suite.ts'
import { frontmatterRules } from './rules/frontmatter_rules.ts'
import { placeRules } from './rules/missing_path_rules.ts'
import { applyRules, toProblem } from './rules/rule.ts'
import { treeRules } from './rules/tree_rules.ts'
import { suiteProblems } from './suite_problems.ts'
import { findLinks } from './text/markdown_links.ts'
import type { SkillFileText } from './text/secrets.ts'
import { openSkillText, type SkillText } from './text/skill_text.ts'

export interface CheckedSkill {
  /** Absolute path of the skill's folder, or of the suite file. */
  path: string
  /** Whether SKILL.md and the suite could be read. */
  readable: boolean
  problems: Problem[]
  /** The skill's folder, absolute; null: there is none, or its SKILL.md cannot be read. */
  folder: string | null
  /** null: there is none, or it cannot be read. */
  suite: InspectedSuite | null
}

/**
 * Checks a skill's folder, its SKILL.md, or a suite. `suite`: path of the skill's suite; null: checks no suite;
 * absent: looks inside the skill. Rejects only on a bug.
 */
export async function checkSkill(place: string, suite?: string | null): Promise<CheckedSkill> {
  const given = path.resolve(place)
  const info = await stat(given).catch(() => null)
  if (info === null)
    return unreadable(given, {
      message: describeMissingPath(given, 'no such file or folder'),
      fix: 'give a skill folder',
    })
  const isSkill = path.basename(given) === 'SKILL.md' || (await pathExists(path.join(given, 'SKILL.md')))
  if (isSkill) {
    const root = info.isDirectory() ? given : path.dirname(given)
    return checkParts({ shown: root, root, suite: suite === undefined ? root : suite })
  }
  if (typeof suite === 'string')
    return unreadable(given, { message: 'no skill', fix: 'give a folder that holds SKILL.md' })
  if (info.isDirectory()) {
    if (findPluginEvals(given) !== null) return checkParts({ shown: given, root: null, suite: given })
    if (path.basename(given) !== 'evals' || !(await hasSuite(given)))
      return checkParts({ shown: given, root: given, suite: given })
  }
  const root = info.isDirectory() ? path.dirname(given) : await findSkillRoot(path.dirname(given))
  const hasSkill = await pathExists(path.join(root, 'SKILL.md'))
  return checkParts({ shown: given, root: hasSkill ? root : null, suite: given })
}

function unreadable(place: string, finding: { message: string; fix: string }): CheckedSkill {
  return {
    path: place,
    readable: false,
    problems: [toProblem(placeRules.unreadable, finding, place)],
    folder: null,
    suite: null,
  }
}

interface Parts {
  shown: string
  /** null: a suite alone. */
  root: string | null
  /** null: nothing to check. */
  suite: string | null
}

async function checkParts({ shown, root, suite }: Parts): Promise<CheckedSkill> {
  const skill = root === null ? { readable: true, problems: [], name: null } : await checkFolder(root)
  const none = { readable: true, problems: [], suite: null }
  const cases = suite === null ? none : await checkSuite(suite, { root, name: skill.name })
  return {
    path: shown,
    readable: skill.readable && cases.readable,
    problems: [...skill.problems, ...cases.problems],
    folder: skill.readable ? root : null,
    suite: cases.suite,
  }
}

async function checkFolder(root: string): Promise<{ readable: boolean; problems: Problem[]; name: string | null }> {
  const file = path.join(root, 'SKILL.md')
  const read = await readText(file).catch((error: unknown) => ({ message: errorMessage(error) }))
  if (typeof read !== 'string') {
    const message = (await pathExists(file)) ? read.message : describeMissingPath(file, 'no such file')
    const problem = toProblem(placeRules.unreadable, { message, fix: 'give a folder that holds SKILL.md' }, file)
    return { readable: false, problems: [problem], name: null }
  }
  const text = openSkillText(read, path.basename(root))
  const name = text.entries.get('name')?.value
  const problems = [...applyRules(frontmatterRules, text, file), ...(await checkTree(root, text))]
  return { readable: true, problems, name: typeof name === 'string' ? name.trim() : null }
}

async function checkTree(root: string, text: SkillText): Promise<Problem[]> {
  const seen = await walk(root, { skip: isHiddenFromAgents, unreadable: 'leave_out' })
  const notOurs = (name: string) => /(^|\/)(\.git|node_modules)(\/|$)|^workspaces(\/|$)/.test(name)
  const all = await walk(root, { skip: notOurs, unreadable: 'leave_out' })
  const texts: SkillFileText[] = []
  for (const { path: name, source, bytes } of all.files) {
    const text = bytes > textBytes ? null : await readFile(source, 'utf8').catch(() => null)
    if (text !== null && !text.includes('\0')) texts.push({ path: name, file: path.join(root, name), text })
  }
  const files = seen.files.map(({ path: name }) => name)
  const [{ body, bodyLine }, { leftOut }] = [text, seen]
  const links = await findLinks(body)
  return applyRules(treeRules, { root, bodyLine, body, links, files, leftOut, texts }, path.join(root, 'SKILL.md'))
}

/** Larger files count as data and are not searched for secrets. */
const textBytes = 2 ** 20

async function checkSuite(
  place: string,
  skill: { root: string | null; name: string | null },
): Promise<Pick<CheckedSkill, 'readable' | 'problems' | 'suite'>> {
  if (place === skill.root && !(await hasSuite(place))) {
    const problem = toProblem(placeRules.noSuite, { message: 'no suite', fix: suiteFix(place) }, place)
    return { readable: true, problems: [problem], suite: null }
  }
  try {
    const inspected = await inspectSuite(place, skill.root ?? undefined)
    return { readable: true, problems: suiteProblems(inspected, skill.name), suite: inspected }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const finding = { message: error.message, fix: error.fix ?? 'mend it' }
    return { readable: false, problems: [toProblem(placeRules.suiteUnreadable, finding, place)], suite: null }
  }
}

/** For a skill in <plugin>/skills, suggests the plugin's suite. */
function suiteFix(skill: string): string {
  const [skills, plugin] = [path.dirname(skill), path.dirname(path.dirname(skill))]
  const hasPluginOne = path.basename(skills) === 'skills' && findPluginEvals(plugin) !== null
  return hasPluginOne
    ? `name that of its plugin: --suite ${plugin}`
    : 'write evals/evals.json; docs/reference/formats.md shows one'
}

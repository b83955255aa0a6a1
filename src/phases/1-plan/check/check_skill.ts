/** Everything that is wrong with one skill and its suite, in one list; nothing in it stops the rest. */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Problem } from '../../../../schemas/check_report.ts'
import { absence } from '../../../base/dead_link.ts'
import { messageOf, UserError } from '../../../base/error.ts'
import { exists, walk } from '../../../base/files.ts'
import { readText } from '../../../base/json.ts'
import { evalsOfPlugin } from '../formats/plugin_eval.ts'
import type { InspectedSuite } from '../inspected.ts'
import { hasSuite, inspectSuite, rootAbove } from '../load.ts'
import { isHiddenFromAgents } from '../skill.ts'
import { caseRules } from './case_rules.ts'
import { checkRules } from './check_rules.ts'
import { criteriaRules } from './criteria_rules.ts'
import { frontmatterRules } from './frontmatter_rules.ts'
import { loaderProblems } from './loader_rules.ts'
import { linksIn } from './markdown_links.ts'
import { placeRules } from './place_rules.ts'
import { apply, problemOf } from './rule.ts'
import type { SkillFileText } from './secrets.ts'
import { openSkillText, type SkillText } from './skill_text.ts'
import { suiteRules } from './suite_rules.ts'
import { treeRules } from './tree_rules.ts'

export interface CheckedSkill {
  /** Absolute; of the skill's folder, or of the suite file that was named. */
  path: string
  /** Whether SKILL.md and the suite could be read. */
  readable: boolean
  problems: Problem[]
  /** null: none, or none that can be read. */
  suite: InspectedSuite | null
}

/**
 * Checks a skill's folder, its SKILL.md, or a suite. `suite`: where that of the skill is; null: it may do without one;
 * absent: in the skill. Rejects only on a bug.
 */
export async function checkSkill(place: string, suite?: string | null): Promise<CheckedSkill> {
  const given = path.resolve(place)
  const info = await stat(given).catch(() => null)
  if (info === null)
    return unreadable(given, { message: absence(given, 'no such file or folder'), fix: 'give a skill folder' })
  const isSkill = path.basename(given) === 'SKILL.md' || (await exists(path.join(given, 'SKILL.md')))
  if (isSkill) {
    const root = info.isDirectory() ? given : path.dirname(given)
    return checkParts({ shown: root, root, suite: suite === undefined ? root : suite })
  }
  if (typeof suite === 'string')
    return unreadable(given, { message: 'no skill', fix: 'give a folder that holds SKILL.md' })
  if (info.isDirectory()) {
    if (evalsOfPlugin(given) !== null) return checkParts({ shown: given, root: null, suite: given })
    if (path.basename(given) !== 'evals' || !(await hasSuite(given)))
      return checkParts({ shown: given, root: given, suite: given })
  }
  const root = info.isDirectory() ? path.dirname(given) : await rootAbove(path.dirname(given))
  const hasSkill = await exists(path.join(root, 'SKILL.md'))
  return checkParts({ shown: given, root: hasSkill ? root : null, suite: given })
}

function unreadable(place: string, finding: { message: string; fix: string }): CheckedSkill {
  return { path: place, readable: false, problems: [problemOf(placeRules.unreadable, finding, place)], suite: null }
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
    suite: cases.suite,
  }
}

async function checkFolder(root: string): Promise<{ readable: boolean; problems: Problem[]; name: string | null }> {
  const file = path.join(root, 'SKILL.md')
  const read = await readText(file).catch((error: unknown) => ({ message: messageOf(error) }))
  if (typeof read !== 'string') {
    const message = (await exists(file)) ? read.message : absence(file, 'no such file')
    const problem = problemOf(placeRules.unreadable, { message, fix: 'give a folder that holds SKILL.md' }, file)
    return { readable: false, problems: [problem], name: null }
  }
  const text = openSkillText(read, path.basename(root))
  const name = text.entries.get('name')?.value
  const problems = [...apply(frontmatterRules, text, file), ...(await checkTree(root, text))]
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
  const links = await linksIn(body)
  return apply(treeRules, { root, bodyLine, links, files, leftOut, texts }, path.join(root, 'SKILL.md'))
}

/** Larger files are data, not looked through for secrets. */
const textBytes = 2 ** 20

async function checkSuite(
  place: string,
  skill: { root: string | null; name: string | null },
): Promise<Pick<CheckedSkill, 'readable' | 'problems' | 'suite'>> {
  if (place === skill.root && !(await hasSuite(place))) {
    const problem = problemOf(placeRules.noSuite, { message: 'no suite', fix: suiteFix(place) }, place)
    return { readable: true, problems: [problem], suite: null }
  }
  try {
    const inspected = await inspectSuite(place, skill.root ?? undefined)
    return { readable: true, problems: suiteProblems(inspected, skill.name), suite: inspected }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const finding = { message: error.message, fix: error.fix ?? 'mend it' }
    return { readable: false, problems: [problemOf(placeRules.suiteUnreadable, finding, place)], suite: null }
  }
}

/** Of a skill in <plugin>/skills, that of the plugin. */
function suiteFix(skill: string): string {
  const [skills, plugin] = [path.dirname(skill), path.dirname(path.dirname(skill))]
  const hasPluginOne = path.basename(skills) === 'skills' && evalsOfPlugin(plugin) !== null
  return hasPluginOne
    ? `name that of its plugin: --suite ${plugin}`
    : 'write evals/evals.json; docs/formats.md shows one'
}

function suiteProblems(inspected: InspectedSuite, skillName: string | null): Problem[] {
  const { suite, places, mistakes } = inspected
  const subjects = suite.cases.map((one, index) => {
    const place = places[index] ?? { file: suite.path, at: null }
    const isPartial = mistakes.some(({ at }) => place.at !== null && at.startsWith(`${place.at}.`))
    return { case: one, place, skillName: skillName ?? suite.skill_name, isPartial }
  })
  return [
    ...apply(suiteRules, { ...inspected, skillName }, suite.path),
    ...subjects.flatMap((subject) => apply([...caseRules, ...criteriaRules, ...checkRules], subject, suite.path)),
    ...loaderProblems(suite.warnings),
  ]
}

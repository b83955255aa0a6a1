/** Everything that is wrong with one skill and its suite, in one list; nothing in it stops the rest. */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Problem } from '../../../../schemas/check_report.ts'
import { messageOf, UserError } from '../../../base/error.ts'
import { exists, walk } from '../../../base/files.ts'
import type { InspectedSuite } from '../inspected.ts'
import { hasSuite, inspectSuite, rootAbove } from '../load.ts'
import { isHiddenFromAgents } from '../skill.ts'
import { caseRules } from './case_rules.ts'
import { checkRules } from './check_rules.ts'
import { criteriaRules } from './criteria_rules.ts'
import { frontmatterRules } from './frontmatter_rules.ts'
import { loaderProblems } from './loader_rules.ts'
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

/** Checks a skill's folder, its SKILL.md, or a suite file. Rejects only on a bug. */
export async function checkSkill(place: string): Promise<CheckedSkill> {
  const given = path.resolve(place)
  const info = await stat(given).catch(() => null)
  if (info === null) {
    const problem = problemOf(
      placeRules.unreadable,
      { message: 'no such file or folder', fix: 'give a skill folder' },
      given,
    )
    return { path: given, readable: false, problems: [problem], suite: null }
  }
  if (info.isDirectory()) return checkPlaces({ shown: given, root: given, suite: given })
  if (path.basename(given) === 'SKILL.md') {
    const folder = path.dirname(given)
    return checkPlaces({ shown: folder, root: folder, suite: folder })
  }
  const root = await rootAbove(path.dirname(given))
  const hasSkill = await exists(path.join(root, 'SKILL.md'))
  return checkPlaces({ shown: given, root: hasSkill ? root : null, suite: given })
}

interface Places {
  shown: string
  /** null: a suite alone. */
  root: string | null
  suite: string
}

async function checkPlaces({ shown, root, suite }: Places): Promise<CheckedSkill> {
  const skill = root === null ? { readable: true, problems: [], name: null } : await checkFolder(root)
  const cases = await checkSuite(suite, skill.name)
  return {
    path: shown,
    readable: skill.readable && cases.readable,
    problems: [...skill.problems, ...cases.problems],
    suite: cases.suite,
  }
}

async function checkFolder(root: string): Promise<{ readable: boolean; problems: Problem[]; name: string | null }> {
  const file = path.join(root, 'SKILL.md')
  const read = await readFile(file, 'utf8').catch((error: unknown) => ({ message: messageOf(error) }))
  if (typeof read !== 'string') {
    const message = (await exists(file)) ? read.message : 'no such file'
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
  return apply(treeRules, { root, text, files, leftOut: seen.leftOut, texts }, path.join(root, 'SKILL.md'))
}

/** Larger files are data, not looked through for secrets. */
const textBytes = 2 ** 20

async function checkSuite(
  place: string,
  skillName: string | null,
): Promise<Pick<CheckedSkill, 'readable' | 'problems' | 'suite'>> {
  const isFolder = (await stat(place)).isDirectory()
  if (isFolder && !(await hasSuite(place))) {
    const finding = { message: 'no suite', fix: 'write evals/evals.json; docs/formats.md shows one' }
    return { readable: true, problems: [problemOf(placeRules.noSuite, finding, place)], suite: null }
  }
  try {
    const inspected = await inspectSuite(place)
    return { readable: true, problems: suiteProblems(inspected, skillName), suite: inspected }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const finding = { message: error.message, fix: error.fix ?? 'mend it' }
    return { readable: false, problems: [problemOf(placeRules.suiteUnreadable, finding, place)], suite: null }
  }
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

/** Checks one skill and its suite and collects every problem in one list; a problem never ends the check. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Problem } from '../../../../schemas/check_report.ts'
import { UserError } from '../../../base/errors/error.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { describeMissingPath } from '../../../base/fs/nearest_path.ts'
import { searchSuite } from '../formats/table.ts'
import { leaveOutVariables } from '../plan/leave_out_variables.ts'
import type { InspectedSuite } from '../suite/inspected_suite.ts'
import { findSkillRoot, hasSuite, inspectSuite, suggestSuite } from '../suite/load_suite.ts'
import { checkSkillFolder } from './check_skill_folder.ts'
import { placeRules } from './rules/plan_rules.ts'
import { toProblem } from './rules/rule.ts'
import { type SuiteSkill, suiteProblems } from './suite_problems.ts'

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
    return unreadable(given, { message: 'no skill', fix: 'pass the folder that contains SKILL.md' })
  if (info.isDirectory()) {
    if ((await searchSuite('findForSkills', given)) !== null || (await searchSuite('findTasks', given)) !== null)
      return checkParts({ shown: given, root: null, suite: given })
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

/** `root` null: a suite alone; `suite` null: the skill alone. */
async function checkParts({
  shown,
  root,
  suite,
}: Record<'root' | 'suite', string | null> & { shown: string }): Promise<CheckedSkill> {
  const skill =
    root === null ? { readable: true, problems: [], name: null, steps: [], files: [] } : await checkSkillFolder(root)
  const none = { readable: true, problems: [], suite: null }
  const cases = suite === null ? none : await checkSuite(suite, { root, ...skill })
  return {
    path: shown,
    readable: skill.readable && cases.readable,
    problems: [...skill.problems, ...cases.problems],
    folder: skill.readable ? root : null,
    suite: cases.suite,
  }
}

async function checkSuite(
  place: string,
  skill: SuiteSkill & { root: string | null },
): Promise<Pick<CheckedSkill, 'readable' | 'problems' | 'suite'>> {
  if (place === skill.root && !(await hasSuite(place)) && (await searchSuite('findVisible', place)) === null) {
    const problem = toProblem(placeRules.noSuite, { message: 'no suite', fix: await suggestSuite(place) }, place)
    return { readable: true, problems: [problem], suite: null }
  }
  try {
    const inspected = await inspectSuite(place, skill.root ?? undefined)
    const allowed = { ...inspected, suite: leaveOutVariables(inspected.suite, null) }
    return { readable: true, problems: suiteProblems(allowed, skill), suite: inspected }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const finding = { message: error.message, fix: error.fix ?? 'fix it' }
    return { readable: false, problems: [toProblem(placeRules.suiteUnreadable, finding, place)], suite: null }
  }
}

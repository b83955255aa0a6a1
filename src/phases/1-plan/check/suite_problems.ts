/** Collects every problem of a suite and its cases: `check` lists them; `bench`, `eval` and --dry-run stop at them. */
import type { Problem } from '../../../../schemas/check_report.ts'
import { type InspectedSuite, indexOfCase } from '../suite/inspected_suite.ts'
import { caseRules } from './rules/case_rules.ts'
import { checkRules } from './rules/check_rules.ts'
import { criteriaRules } from './rules/criteria_rules.ts'
import { loaderProblems } from './rules/loader_rules.ts'
import { applyRules } from './rules/rule.ts'
import { suiteRules } from './rules/suite_rules.ts'
import type { SkillStep } from './text/leaked_steps.ts'

export interface SuiteSkill {
  /** From SKILL.md; null: there is none. */
  name: string | null
  steps: readonly SkillStep[]
  /** Paths of its files, as agents see them. */
  files: readonly string[]
}

export function suiteProblems(inspected: InspectedSuite, { name, steps, files }: SuiteSkill): Problem[] {
  const { suite, places, mistakes } = inspected
  const partial = new Set(mistakes.map((mistake) => indexOfCase(places, mistake)))
  const subjects = suite.cases.map((one, index) => {
    const place = places[index] ?? { file: suite.path, at: null }
    const skillName = name ?? suite.skill_name
    return { case: one, place, steps, skillFiles: files, skillName, isPartial: partial.has(index) }
  })
  return [
    ...applyRules(suiteRules, { ...inspected, skillName: name }, suite.path),
    ...subjects.flatMap((subject) => applyRules([...caseRules, ...criteriaRules, ...checkRules], subject, suite.path)),
    ...loaderProblems(suite.warnings),
  ]
}

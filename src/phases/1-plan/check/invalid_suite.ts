/** Decides what `bench` and `eval` do with a suite that breaks a rule: refuse it, or skip the invalid cases. */
import path from 'node:path'
import type { Problem } from '../../../../schemas/check_report.ts'
import type { LoadWarning, Suite, SuiteCase } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import type { InspectedSuite } from '../suite/inspected_suite.ts'
import type { CheckedFolder } from './check_skill_folder.ts'
import { caseRules } from './rules/case_rules.ts'
import { checkRules } from './rules/check_rules.ts'
import { criteriaRules } from './rules/criteria_rules.ts'
import { deadCheckRules } from './rules/dead_check_rules.ts'
import { frontmatterRules } from './rules/frontmatter_rules.ts'
import { loaderRules } from './rules/loader_rules.ts'
import { placeRules, planRules } from './rules/plan_rules.ts'
import type { RuleFacts } from './rules/rule.ts'
import { nameCase } from './rules/rule.ts'
import { configTrustRule, networkRule, suiteRules, unsoundTaskRule } from './rules/suite_rules.ts'
import { treeRules } from './rules/tree_rules.ts'
import { suiteProblems } from './suite_problems.ts'

export interface ValidityOptions {
  skill: CheckedFolder
  /** Problems that take more than the files of skill and suite to find. */
  others: readonly Problem[]
  /** --allow-invalid: skips the cases that break a rule and runs the others. */
  allowInvalid: boolean
}

/** Returns the suite as `bench` runs it, and what `check` warns of. Throws UserError for problems that stop it. */
export function requireValidBenchSuite(
  inspected: InspectedSuite,
  { skill, others, allowInvalid }: ValidityOptions,
): { suite: Suite; warnings: LoadWarning[] } {
  const problems = [...skill.problems, ...suiteProblems(inspected, skill), ...others]
  const suite = markInvalidCases(
    inspected.suite,
    problems.filter(({ stops_bench }) => stops_bench),
    allowInvalid,
  )
  return { suite, warnings: problems.filter(isWorthWarning).map(toWarning) }
}

/** A case that is left out has its reason. */
function isWorthWarning({ rule, severity, eval_id }: Problem): boolean {
  if (severity === 'warning') return !saidElsewhere.has(rule)
  return severity === 'error' && (eval_id === undefined || stillRuns.has(rule))
}

function toWarning({ file, at, line, message, rule, fix }: Problem): LoadWarning {
  return { file, at: at ?? (line === null ? '$' : `line ${line}`), message: `${message} [${rule}]`, fix }
}

/** Skips the cases with these problems; the reason is in `cannot_run`. Throws UserError unless that is allowed and a case remains. */
export function markInvalidCases(suite: Suite, problems: readonly Problem[], allowInvalid: boolean): Suite {
  if (problems.length === 0) return suite
  const reduced = { ...suite, cases: suite.cases.map((one) => skipInvalidCase(one, problems)) }
  const left = reduced.cases.filter(({ cannot_run }) => cannot_run === null).length
  const isWhole = problems.some(({ eval_id }) => eval_id === undefined)
  if (allowInvalid && left > 0 && !isWhole) return reduced
  throw new UserError(listProblems(suite, problems), hint({ left, of: suite.cases.length, isWhole }), 'invalid-suite')
}

/** Returns the suite as `eval` runs it, without cases that cannot be judged. Throws UserError for mistakes in Whetstone's own fields. */
export function requireValidEvalSuite(inspected: InspectedSuite): Suite {
  const all = suiteProblems(inspected, { name: null, steps: [], files: [] })
  const refused = all.filter(({ rule }) => rule === 'own-field')
  if (refused.length > 0) throw new UserError(listProblems(inspected.suite, refused), fixAll, 'invalid-suite')
  return markSkippedCases(inspected.suite, all)
}

/** Sets `cannot_run` on the cases that these problems keep from being judged. */
export function markSkippedCases(suite: Suite, problems: readonly Problem[]): Suite {
  const skipped = problems.filter(({ rule }) => skipsEval.has(rule))
  return { ...suite, cases: suite.cases.map((one) => skipInvalidCase(one, skipped)) }
}

/** What the files of a skill and a suite can break, and a plan. */
export const suiteAndPlanRules: readonly RuleFacts[] = [
  ...Object.values(placeRules),
  ...frontmatterRules,
  ...treeRules,
  ...suiteRules,
  networkRule,
  configTrustRule,
  unsoundTaskRule,
  ...caseRules,
  ...criteriaRules,
  ...checkRules,
  ...deadCheckRules,
  ...loaderRules,
  ...Object.values(planRules),
]

const skipsEval: ReadonlySet<string> = new Set(
  suiteAndPlanRules.flatMap(({ id, skips_eval }) => (skips_eval ? [id] : [])),
)

/** Said elsewhere: by the loader, and in the line on what the runs detect. */
const saidElsewhere: ReadonlySet<string> = new Set([...loaderRules.map(({ id }) => id), 'suite-small'])

/** Problems of the suite that repeat what its cases already report. */
const followsFromCases: ReadonlySet<string> = new Set(['suite-ungraded'])

/** With --allow-invalid these cases still run: under an assigned id, or without the verdict of that check. */
const stillRuns: ReadonlySet<string> = new Set(['duplicate-id', 'check-undecidable'])

function skipInvalidCase(one: SuiteCase, problems: readonly Problem[]): SuiteCase {
  const own = problems.filter(({ eval_id, rule }) => eval_id === one.eval_id && !stillRuns.has(rule))
  const [first] = own
  if (first === undefined || one.cannot_run !== null) return one
  return { ...one, cannot_run: first.message.replace(`${nameCase(one)}: `, '') }
}

const mostListed = 8

/** Leaves out problems of the suite that a case already reports. */
function listProblems(suite: Suite, problems: readonly Problem[]): string {
  const own = problems.filter(({ eval_id, rule }) => eval_id !== undefined || !followsFromCases.has(rule))
  const all = own.length > 0 ? own : problems
  const lines = all.slice(0, mostListed).map((one) => `  ${formatProblemPlace(suite, one)}${one.message} [${one.rule}]`)
  const more = all.length > mostListed ? [`  … and ${all.length - mostListed} more`] : []
  const count = `${all.length} ${all.length === 1 ? 'problem' : 'problems'}`
  return [`${suite.path}: ${count}, nothing was run`, ...lines, ...more].join('\n')
}

function formatProblemPlace(suite: Suite, { file, at, line }: Problem): string {
  const other = file === suite.path ? '' : path.relative(path.dirname(suite.path), file) || path.basename(file)
  const where = [other, at ?? (line === null ? '' : `line ${line}`)].filter(Boolean).join(' ')
  return where === '' ? '' : `${where}: `
}

const fixAll = 'correct the suite; whetstone check lists every problem with its fix'

function hint({ left, of, isWhole }: { left: number; of: number; isWhole: boolean }): string {
  if (left === 0 || isWhole) return fixAll
  if (left === of) return `${fixAll}. --allow-invalid runs the ${of} cases as they are`
  return `${fixAll}. --allow-invalid leaves such cases out and runs ${left} of ${of}`
}

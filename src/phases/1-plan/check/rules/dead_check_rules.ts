/** Rules for checks that decide nothing: they pass on an empty answer, or fail on the case's own reference. */
import type { Check, CheckOf } from '../../../../../schemas/check.ts'
import type { Problem } from '../../../../../schemas/check_report.ts'
import type { SuiteCase } from '../../../../../schemas/suite.ts'
import type { CasePlaceInFile } from '../../suite/inspected_suite.ts'
import { isIndicator } from './check_rules.ts'
import { buildCaseFinding, quoteText, type RuleFacts, toProblem } from './rule.ts'

const facts = {
  passesEmpty: {
    id: 'check-passes-empty',
    severity: 'warning',
    about:
      'A check passes on an empty answer without files, and is not one that something is absent or within a limit.',
  },
  casePassesEmpty: {
    id: 'case-passes-empty',
    severity: 'warning',
    about: 'Every criterion of a case passes on an empty answer without files, at least one of them by mistake.',
  },
  onlyAbsences: {
    id: 'checks-only-absences',
    severity: 'warning',
    about: 'A case has only checks that something is absent or within a limit: an empty answer passes.',
  },
  referenceFails: {
    id: 'reference-fails',
    severity: 'warning',
    about:
      "A check fails on the case's own `reference`. Checks of what it does not have (its answer, its files) are left out, and `command` checks need `--oracle`.",
  },
} satisfies Record<string, RuleFacts>

export const deadCheckRules: readonly RuleFacts[] = Object.values(facts)

/** What is known of a check before any run; null: not known. */
export interface ForeseenCheck {
  check: Check
  text: string
  /** On an empty answer without files. */
  passesEmpty: boolean | null
  /** Why it fails on the reference; null: it does not, or that is not known. */
  referenceFailure: string | null
}

interface ForeseenCase {
  case: SuiteCase
  place: CasePlaceInFile
  checks: readonly ForeseenCheck[]
}

export function deadCheckProblems({ checks, ...one }: ForeseenCase): Problem[] {
  const counted = checks.filter(({ check }) => !isIndicator(check))
  const passing = counted.filter(({ passesEmpty }) => passesEmpty === true)
  const dead = passing.filter(({ check }) => !isAbsence(check))
  const isAll = passing.length === counted.length && one.case.expectations.every(({ indicator }) => indicator === true)
  const problem = (rule: RuleFacts, message: string, fix: string) =>
    toProblem(rule, buildCaseFinding(one, 'checks', { message, fix }), one.place.file)
  return [
    ...dead.map(({ text }) =>
      problem(facts.passesEmpty, `${quoteText(text)} passes on an empty answer`, 'check what only a good answer has'),
    ),
    ...(isAll && dead.length > 0
      ? [problem(facts.casePassesEmpty, 'an empty answer passes every criterion', passingFix)]
      : []),
    ...(isAll && dead.length === 0 && passing.length > 0
      ? [problem(facts.onlyAbsences, describeAbsences(passing), passingFix)]
      : []),
    ...counted.flatMap(({ text, referenceFailure }) =>
      referenceFailure === null
        ? []
        : [
            problem(
              facts.referenceFails,
              `the reference fails ${quoteText(text)}: ${referenceFailure}`,
              'correct the reference or the check',
            ),
          ],
    ),
  ]
}

const passingFix = 'add an expectation, or a check for something that must be there'

function describeAbsences(passing: readonly ForeseenCheck[]): string {
  const isText = passing.every(({ check }) => check.type === 'not_contains')
  return `only ${isText ? 'forbids text' : 'forbids or limits something'}, so an empty answer passes`
}

/** Whether a check says that something is absent, unchanged or within a limit, which holds where nothing was done. */
function isAbsence(check: Check): boolean {
  switch (check.type) {
    case 'not_contains':
    case 'file_absent':
    case 'file_hash':
    case 'tool_not_used':
    case 'tool_calls_at_most':
    case 'no_loop':
    case 'turns_at_most':
    case 'tokens_at_most':
    case 'cost_at_most':
    case 'duration_at_most':
      return true
    case 'skill_read':
      return check.read === false
    case 'agent_blocked':
      return check.blocked === false
    case 'file_count':
      return isLimit(check.count)
    case 'tool_used':
      return check.times !== undefined && isLimit(check.times)
    case 'tool_order':
      return check.mode === 'subset'
    case 'regex':
      return check.absent === true || /^\^.*\(\?!/.test(check.pattern)
    case 'command':
      return isDenial(check)
    default:
      return false
  }
}

function isLimit({ max, equals }: CheckOf<'file_count'>['count']): boolean {
  return max !== undefined || equals === 0
}

function isDenial({ run, exit_code }: CheckOf<'command'>): boolean {
  return (exit_code ?? 0) !== 0 || /(?:^|[\s;&|[])!\s/.test(run)
}

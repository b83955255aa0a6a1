/** Rules for a suite as a whole. */
import type { SuiteCase } from '../../../../../schemas/suite.ts'
import {
  defaultRuns,
  describeSimilarCases,
  fewestRuns,
  fewestSimilarCases,
  formatVariedCases,
  planSimilarCases,
} from '../../../../base/smallest_design.ts'
import { suiteFormats } from '../../formats/table.ts'
import { type InspectedSuite, indexOfCase } from '../../suite/inspected_suite.ts'
import { hasGainCriterion, listGainCriteria } from './check_rules.ts'
import type { LintFinding, LintRule, RuleFacts } from './rule.ts'
import { buildCaseFinding, nameCase } from './rule.ts'

export interface SuiteSubject extends InspectedSuite {
  /** From SKILL.md; null: there is none. */
  skillName: string | null
}

/** The flow finds this one, because it knows the user's flags. */
export const networkRule: RuleFacts = {
  id: 'network-asked',
  severity: 'error',
  stops_bench: true,
  about: 'The suite asks for an open network: you must decide with `--network`.',
}

/** The command line finds this one, because it reads configuration files. */
export const configTrustRule: RuleFacts = {
  id: 'config-not-confirmed',
  severity: 'info',
  about:
    'The configuration file that applies widens what runs, what is reachable, what is spent or who gets a key: these settings count only once you confirm them.',
}

/** The flow finds this one too, because it runs the task. */
export const unsoundTaskRule: RuleFacts = {
  id: 'unsound-task',
  severity: 'error',
  about:
    '`--oracle`: the solution of a Harbor task does not earn the full reward on this machine, or doing nothing does (`--null`).',
}

export const suiteRules: readonly LintRule<SuiteSubject>[] = [
  {
    id: 'own-field',
    severity: 'error',
    stops_bench: true,
    about:
      "A mistake in a field that is Whetstone's own (`checks`, `reference`, `turns`, `end_when`, `user`, `timeout`, `setup`, `teardown`, `env`, `collect`, `attach`, `git`, `eval_key`), or, in a format with checks of its own, a field that is not one of them: the suite is refused.",
    find: ownFieldMistakes,
  },
  {
    id: 'duplicate-id',
    severity: 'error',
    stops_bench: true,
    about: 'Two cases have the same id.',
    find: duplicateIds,
  },
  {
    id: 'suite-ungraded',
    severity: 'error',
    stops_bench: true,
    about: 'No case has a criterion other than indicators, so the benchmark could not show anything about the skill.',
    find: findUngradedSuite,
  },
  {
    id: 'suite-small',
    severity: 'warning',
    about: `Fewer than ${fewestSimilarCases} cases can run and count (indicators do not): too few for a verdict on similar cases. Says how many are enough, and how many runs these cases need at least.`,
    find: findSmallSuite,
  },
  {
    id: 'suite-uniform-only',
    severity: 'info',
    about: `At least ${fewestSimilarCases} cases, but with ${defaultRuns} runs too few for a difference that varies between similar cases. Says how many are enough.`,
    find: findUniformOnlySuite,
  },
  {
    id: 'skill-name-differs',
    severity: 'warning',
    about: 'The suite names another skill than SKILL.md.',
    find: ({ suite, skillName }) =>
      skillName === null || suite.skill_name === skillName
        ? []
        : [
            {
              at: '$.skill_name',
              message: `names ${suite.skill_name}; SKILL.md says ${skillName}, which is used`,
              fix: 'write the same name',
            },
          ],
  },
]

function ownFieldMistakes({ suite, places, mistakes }: SuiteSubject): LintFinding[] {
  return mistakes.map((mistake) => {
    const one = suite.cases[indexOfCase(places, mistake)]
    const page = suiteFormats[suite.format]?.checksPage ?? 'evals-json.md'
    const fix = `docs/reference/${page} shows each of these fields`
    return one === undefined
      ? { ...mistake, fix }
      : { ...mistake, fix, message: `${nameCase(one)}: ${mistake.message}`, eval_id: one.eval_id }
  })
}

function duplicateIds(subject: SuiteSubject): LintFinding[] {
  const seen = new Map<string, SuiteCase>()
  return subject.suite.cases.flatMap((one, index) => {
    const id = one.eval_key ?? String(one.eval_id)
    const place = subject.places[index] ?? { file: subject.suite.path, at: null }
    const before = seen.get(id)
    seen.set(id, before ?? one)
    if (before === undefined) return []
    const words = { message: `has the same id as ${nameCase(before)}`, fix: 'give each case an id of its own' }
    return [buildCaseFinding({ case: one, place }, null, words)]
  })
}

function findUngradedSuite({ suite, mistakes }: SuiteSubject): LintFinding[] {
  if (mistakes.length > 0 || suite.cases.some(hasGainCriterion)) return []
  const isBare = suite.cases.every((one) => one.expectations.length + one.checks.length === 0)
  return isBare
    ? [{ message: 'no case has criteria', fix: 'add expectations or checks' }]
    : [
        {
          message: 'no case has a criterion other than indicators',
          fix: 'add some that a run without the skill can pass, too',
        },
      ]
}

function findSmallSuite({ suite, mistakes }: SuiteSubject): LintFinding[] {
  const criteria = listGainCriteria(suite.cases)
  const count = criteria.length
  if (mistakes.length > 0 || count === 0 || count >= fewestSimilarCases) return []
  const chance = Math.min(1, 2 / 2 ** count)
  const better = count === 1 ? 'it improves' : `all ${count} improve`
  const message =
    `${count === 1 ? '1 case is' : `${count} cases are`} too few for a verdict on similar cases: ` +
    `even if ${better}, p = ${chance.toFixed(2)} (sign test over cases)`
  const enough = describeSimilarCases(planSimilarCases(defaultRuns, criteria))
  const runs = fewestRuns(count, 0.05)
  const fix = `write ${enough} (with ${defaultRuns} runs each); a verdict on ${count === 1 ? 'this case' : 'these cases'} alone needs at least ${runs} runs per case and configuration`
  return [{ message, fix }]
}

function findUniformOnlySuite({ suite, mistakes }: SuiteSubject): LintFinding[] {
  const criteria = listGainCriteria(suite.cases)
  const count = criteria.length
  if (mistakes.length > 0 || count < fewestSimilarCases) return []
  const size = planSimilarCases(defaultRuns, criteria)
  if (count >= size.varied_low) return []
  const message = `with ${defaultRuns} runs each, ${count} cases can show only a large difference for similar cases, the same in every case`
  return [{ message, fix: `write ${formatVariedCases(size)} cases for one that varies, or run them more often` }]
}

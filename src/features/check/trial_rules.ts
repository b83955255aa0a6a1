/** Rules for descriptions that are close to each other, and for the gradings of the null answer and the reference answer. */
import { isReward } from '../../../schemas/check.ts'
import type { Problem } from '../../../schemas/check_report.ts'
import type { Grading } from '../../../schemas/grading.ts'
import type { DescriptionOverlap } from '../../../schemas/overlap.ts'
import { keepRated } from '../../../schemas/pass_rate.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { formatOverlap } from '../../phases/1-plan/check/find_description_overlaps.ts'
import { suiteAndPlanRules } from '../../phases/1-plan/check/invalid_suite.ts'
import { isIndicator } from '../../phases/1-plan/check/rules/check_rules.ts'
import {
  buildCaseFinding,
  type LintFinding,
  quoteText,
  type RuleFacts,
  toProblem,
} from '../../phases/1-plan/check/rules/rule.ts'
import type { CasePlaceInFile } from '../../phases/1-plan/suite/inspected_suite.ts'

export const overlapRules = {
  sameName: {
    id: 'skill-name-twice',
    severity: 'error',
    about: '`--overlap`: two skills have the same name; an agent gets only one of them.',
  },
  descriptions: {
    id: 'descriptions-overlap',
    severity: 'warning',
    about:
      '`--overlap`: the descriptions of two skills share many rare words, or a trigger phrase, and neither says when to use the other.',
  },
} satisfies Record<string, RuleFacts>

export function describeOverlap(overlap: DescriptionOverlap): LintFinding {
  return {
    message: `its description is close to that of ${overlap.b}: ${formatOverlap(overlap)}`,
    fix: `say in both when to use which ("not for …: use ${overlap.b}"); whetstone triggers --all measures who takes whose queries`,
    at: 'description',
  }
}

export interface AnswerTrial {
  trial: 'null' | 'oracle'
  case: SuiteCase
  place: CasePlaceInFile
  /** null: nothing to grade, because the case has no reference, or no criteria that a reference can meet. */
  grading: Grading | null
}

const facts = {
  nullPasses: {
    id: 'null-passes',
    severity: 'error',
    about: '`--null`: a case passes with an empty answer and no file; indicators, which do not count, are left out.',
  },
  nullPassesChecks: {
    id: 'null-passes-checks',
    severity: 'warning',
    about: '`--null`: all checks of a case pass with an empty answer; its expectations were not decided.',
  },
  oracleFails: {
    id: 'oracle-fails',
    severity: 'error',
    about: "`--oracle`: a case's own reference fails one of its criteria.",
  },
  startFails: {
    id: 'start-fails',
    severity: 'error',
    about:
      "`--null`, `--oracle`: a case's `setup`, git bundle or input fails: nothing was tried, and none of its runs would start.",
  },
  noReference: {
    id: 'reference-missing',
    severity: 'info',
    about: '`--oracle`: a case has no `reference` to grade.',
  },
  undecided: {
    id: 'not-decided',
    severity: 'info',
    about:
      '`--null`, `--oracle`: criteria that could not be decided, mostly because `--judge` is missing; the message says why.',
  },
} satisfies Record<string, RuleFacts>

/** All rules of `check`. */
export const allRules: readonly RuleFacts[] = [
  ...suiteAndPlanRules,
  ...Object.values(facts),
  ...Object.values(overlapRules),
]

/** Reports why the case could not be set up, so that no answer to it was tried. */
export function startProblem({ reason, ...one }: Pick<AnswerTrial, 'case' | 'place'> & { reason: string }): Problem {
  const flat = reason.replaceAll(/\s+/g, ' ').trim()
  const short = flat.length > 400 ? `${flat.slice(0, 100)} … ${flat.slice(-300)}` : flat
  const fix = 'fix it: no run of this case would start'
  return buildTrialProblem(one, facts.startFails, { message: `nothing was tried, its start fails: ${short}`, fix })
}

export function trialProblems(tried: AnswerTrial): Problem[] {
  const { trial, grading } = tried
  switch (trial) {
    case 'null':
      return grading === null ? [] : [...nullProblems(tried, grading), ...findUndecidedCriteria(tried, grading)]
    case 'oracle':
      return grading === null
        ? findMissingReference(tried)
        : [...oracleProblems(tried, grading), ...findUndecidedCriteria(tried, grading)]
  }
}

/** Indicators do not count towards the gain, so they decide nothing here. */
function nullProblems(tried: AnswerTrial, grading: Grading): Problem[] {
  const decided = keepRated(grading.expectations).filter(({ indicator }) => indicator !== true)
  if (decided.length === 0 || decided.some(({ passed }) => !passed)) return []
  const { expectations, checks } = tried.case
  const counted = expectations.filter(({ indicator }) => indicator !== true).length
  const all = checks.some(isReward) ? 1 : counted + checks.filter((check) => !isIndicator(check)).length
  const open = all - decided.length
  const fix = 'add a criterion that an empty answer fails'
  if (open === 0) return [buildTrialProblem(tried, facts.nullPasses, { message: 'an empty answer passes', fix })]
  return [
    buildTrialProblem(tried, facts.nullPassesChecks, {
      message: `an empty answer passes what was decided (${open} were not)`,
      fix,
    }),
  ]
}

function oracleProblems(tried: AnswerTrial, grading: Grading): Problem[] {
  return grading.expectations
    .filter(({ passed }) => !passed)
    .map(({ text, evidence }) =>
      buildTrialProblem(tried, facts.oracleFails, {
        message: `the reference fails ${quoteText(text)}: ${evidence}`,
        fix: 'fix the reference or the criterion',
      }),
    )
}

function findMissingReference(tried: AnswerTrial): Problem[] {
  if (tried.case.reference !== null) {
    const message = `none of its criteria can be decided on the reference (${conductReason})`
    return [buildTrialProblem(tried, facts.undecided, { message, fix: outcomeFix })]
  }
  return [
    buildTrialProblem(tried, facts.noReference, { message: 'no reference', fix: 'add reference: { answer, files }' }),
  ]
}

const conductReason = 'they look at how the agent worked'
const outcomeFix = 'add a criterion of the outcome'
/** The reason that decisions report without a judge. */
const noJudge = 'no judge was given'

function findUndecidedCriteria(tried: AnswerTrial, grading: Grading): Problem[] {
  const open = undecidedCount(tried, grading)
  if (open === 0) return []
  const errors = grading.judge_errors ?? []
  const reasons = [
    ...new Set([...errors.map(({ reason }) => reason), ...(open > errors.length ? [conductReason] : [])]),
  ]
  const message = `${open} of its criteria not decided on ${trialNames[tried.trial]} (${reasons.join('; ')})`
  const fixes = new Set(reasons.map(suggestTrialFix))
  return [buildTrialProblem(tried, facts.undecided, { message, fix: [...fixes].join('; ') })]
}

function suggestTrialFix(reason: string): string {
  if (reason === noJudge) return 'name a judge with --judge'
  return reason === conductReason ? outcomeFix : 'fix the reason why they are not decided'
}

const trialNames: Readonly<Record<AnswerTrial['trial'], string>> = { null: 'an empty answer', oracle: 'the reference' }

function undecidedCount({ case: one }: AnswerTrial, grading: Grading): number {
  return one.expectations.length + one.checks.length - grading.expectations.length
}

function buildTrialProblem(
  tried: Pick<AnswerTrial, 'case' | 'place'>,
  rule: RuleFacts,
  words: { message: string; fix: string },
): Problem {
  return toProblem(rule, buildCaseFinding(tried, null, words), tried.place.file)
}

/** The rules for what the null answer and the reference answer were graded as. */
import type { Problem } from '../../../../schemas/check_report.ts'
import type { Grading } from '../../../../schemas/grading.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import type { CasePlaceInFile } from '../inspected.ts'
import { inCase, quoted } from './case_subject.ts'
import { problemOf, type RuleFacts } from './rule.ts'

export interface Tried {
  trial: 'null' | 'oracle'
  case: SuiteCase
  place: CasePlaceInFile
  /** null: there was nothing to grade, because the case has no reference. */
  grading: Grading | null
}

const facts = {
  nullPasses: {
    id: 'null-passes',
    severity: 'error',
    about: '`--null`: a case passes with an empty answer and no file.',
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
  noReference: {
    id: 'reference-missing',
    severity: 'info',
    about: '`--oracle`: a case has no `reference` to grade.',
  },
  undecided: {
    id: 'not-decided',
    severity: 'info',
    about: '`--null`, `--oracle`: criteria that could not be decided, mostly for want of `--judge`.',
  },
} satisfies Record<string, RuleFacts>

export const trialRules: readonly RuleFacts[] = Object.values(facts)

export function trialProblems(tried: Tried): Problem[] {
  const { trial, grading } = tried
  switch (trial) {
    case 'null':
      return grading === null ? [] : [...nullProblems(tried, grading), ...undecided(tried, grading)]
    case 'oracle':
      return grading === null
        ? withoutReference(tried)
        : [...oracleProblems(tried, grading), ...undecided(tried, grading)]
  }
}

function nullProblems(tried: Tried, grading: Grading): Problem[] {
  const { expectations } = grading
  if (expectations.length === 0 || expectations.some(({ passed }) => !passed)) return []
  const open = undecidedCount(tried, grading)
  const fix = 'add a criterion that an empty answer fails'
  if (open === 0) return [at(tried, facts.nullPasses, { message: 'an empty answer passes', fix })]
  return [
    at(tried, facts.nullPassesChecks, { message: `an empty answer passes what was decided (${open} were not)`, fix }),
  ]
}

function oracleProblems(tried: Tried, grading: Grading): Problem[] {
  return grading.expectations
    .filter(({ passed }) => !passed)
    .map(({ text, evidence }) =>
      at(tried, facts.oracleFails, {
        message: `the reference fails ${quoted(text)}: ${evidence}`,
        fix: 'mend the reference or the criterion',
      }),
    )
}

function withoutReference(tried: Tried): Problem[] {
  return [at(tried, facts.noReference, { message: 'no reference', fix: 'add reference: { answer, files }' })]
}

function undecided(tried: Tried, grading: Grading): Problem[] {
  const open = undecidedCount(tried, grading)
  if (open === 0) return []
  const reasons = [...new Set((grading.judge_errors ?? []).map(({ reason }) => reason))]
  const why = reasons.length === 0 ? 'they look at how the agent worked' : reasons.join('; ')
  const message = `${open} of its criteria not decided on ${trialNames[tried.trial]} (${why})`
  return [at(tried, facts.undecided, { message, fix: 'name a judge with --judge' })]
}

const trialNames: Readonly<Record<Tried['trial'], string>> = { null: 'an empty answer', oracle: 'the reference' }

function undecidedCount({ case: one }: Tried, grading: Grading): number {
  return one.expectations.length + one.checks.length - grading.expectations.length
}

function at(tried: Tried, rule: RuleFacts, words: { message: string; fix: string }): Problem {
  return problemOf(rule, inCase(tried, null, words), tried.place.file)
}

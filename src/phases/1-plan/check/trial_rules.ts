/** The rules for what the null answer and the reference answer were graded as. */
import type { Problem } from '../../../../schemas/check_report.ts'
import type { Grading } from '../../../../schemas/grading.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import type { CasePlaceInFile } from '../inspected.ts'
import { inCase, quoted } from './case_subject.ts'
import { isIndicator } from './check_rules.ts'
import { problemOf, type RuleFacts } from './rule.ts'

export interface Tried {
  trial: 'null' | 'oracle'
  case: SuiteCase
  place: CasePlaceInFile
  /** null: there was nothing to grade, because the case has no reference, or no criteria that one can meet. */
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
      '`--null`, `--oracle`: criteria that could not be decided, mostly for want of `--judge`; the message says why.',
  },
} satisfies Record<string, RuleFacts>

export const trialRules: readonly RuleFacts[] = Object.values(facts)

/** Why the case could not be laid out, so that no answer to it was tried. */
export function startProblem({ reason, ...one }: Pick<Tried, 'case' | 'place'> & { reason: string }): Problem {
  const flat = reason.replaceAll(/\s+/g, ' ').trim()
  const short = flat.length > 400 ? `${flat.slice(0, 100)} … ${flat.slice(-300)}` : flat
  const fix = 'mend it: no run of this case would start'
  return at(one, facts.startFails, { message: `nothing was tried, its start fails: ${short}`, fix })
}

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

/** By what counts: indicators are left out of the gain, so that none of them makes a case sound, or unsound. */
function nullProblems(tried: Tried, grading: Grading): Problem[] {
  const decided = grading.expectations.filter(({ indicator }) => indicator !== true)
  if (decided.length === 0 || decided.some(({ passed }) => !passed)) return []
  const { expectations, checks } = tried.case
  const all =
    expectations.filter(({ indicator }) => indicator !== true).length +
    checks.filter((check) => !isIndicator(check)).length
  const open = all - decided.length
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
  if (tried.case.reference !== null) {
    const message = `none of its criteria can be decided on the reference (${ofConduct})`
    return [at(tried, facts.undecided, { message, fix: outcomeFix })]
  }
  return [at(tried, facts.noReference, { message: 'no reference', fix: 'add reference: { answer, files }' })]
}

const ofConduct = 'they look at how the agent worked'
const outcomeFix = 'add a criterion of the outcome'
/** As decisions give it where nobody judges. */
const noJudge = 'no judge was given'

function undecided(tried: Tried, grading: Grading): Problem[] {
  const open = undecidedCount(tried, grading)
  if (open === 0) return []
  const errors = grading.judge_errors ?? []
  const reasons = [...new Set([...errors.map(({ reason }) => reason), ...(open > errors.length ? [ofConduct] : [])])]
  const message = `${open} of its criteria not decided on ${trialNames[tried.trial]} (${reasons.join('; ')})`
  const fixes = new Set(reasons.map(fixOf))
  return [at(tried, facts.undecided, { message, fix: [...fixes].join('; ') })]
}

function fixOf(reason: string): string {
  if (reason === noJudge) return 'name a judge with --judge'
  return reason === ofConduct ? outcomeFix : 'mend what kept them from being decided'
}

const trialNames: Readonly<Record<Tried['trial'], string>> = { null: 'an empty answer', oracle: 'the reference' }

function undecidedCount({ case: one }: Tried, grading: Grading): number {
  return one.expectations.length + one.checks.length - grading.expectations.length
}

function at(tried: Pick<Tried, 'case' | 'place'>, rule: RuleFacts, words: { message: string; fix: string }): Problem {
  return problemOf(rule, inCase(tried, null, words), tried.place.file)
}

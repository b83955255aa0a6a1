/** A judge's answer: its schema and bounds, its mistakes, its verified quotes, and the verdict on each expectation. */
import * as z from 'zod'
import type { GoldenScores } from '../../../../schemas/golden.ts'
import type { Claim, GradedExpectation } from '../../../../schemas/grading.ts'
import type { Rubric, RubricResult } from '../../../../schemas/rubric.ts'
import type { IsClaim } from '../evidence/agent_claims.ts'
import { normalText } from '../evidence/normalize_text.ts'
import {
  type EvidenceCheck,
  type EvidenceContext,
  type EvidenceFile,
  verifyEvidence,
} from '../evidence/verify_evidence.ts'

const verdict = z.object({
  n: z.number().describe('the number of the expectation'),
  about: z.string().optional().catch(undefined).describe('its first six words'),
  passed: z.boolean(),
  evidence: z.string().catch('').describe('a literal quote and where it stands'),
})

const list = z.array(z.string()).default([]).catch([])
const noNotes = { uncertainties: [], needs_review: [], workarounds: [] }

/** Only the verdicts are required: a mistake in other parts drops that part, not the verdicts. */
export const judgeAnswer = z.object({
  verdicts: z.array(verdict),
  rubric: z
    .object({
      scores: z.array(
        z.object({
          dimension: z.string(),
          score: z.number().describe('a whole number from 1 to 5'),
          justification: z.string().catch('').describe('why, with what was seen'),
        }),
      ),
      hard_fails: z
        .array(z.object({ n: z.number().describe('its number'), evidence: z.string().catch('') }))
        .default([])
        .describe('those that occurred'),
    })
    .nullable()
    .default(null)
    .catch(null)
    .describe('null where no rubric is asked for'),
  claims: z
    .array(
      z.object({
        claim: z.string(),
        type: z.string().describe('factual, process or quality'),
        verified: z.boolean(),
        evidence: z.string(),
      }),
    )
    .default([])
    .catch([]),
  user_notes_summary: z
    .object({ uncertainties: list, needs_review: list, workarounds: list })
    .default(noNotes)
    .catch(noNotes),
  eval_feedback: z
    .object({
      suggestions: z
        .array(z.object({ assertion: z.string().nullish(), reason: z.string() }))
        .default([])
        .catch([]),
      overall: z.string().default('').catch(''),
    })
    .nullable()
    .default(null)
    .catch(null)
    .describe('null when nothing is worth raising'),
})

export type JudgeAnswer = z.infer<typeof judgeAnswer>

/** A verdict on one expectation (or the rubric) with the result of verifying its quotes, as in grading.json; or why there is none. */
export type JudgeVerdict =
  | ({ passed: boolean; evidence: string; rubric?: RubricResult; golden?: GoldenScores } & VerificationFields)
  | { error: string }

type VerificationFields = Pick<
  GradedExpectation,
  'evidence_verified' | 'evidence_at' | 'evidence_flag' | 'votes' | 'warning'
>

/** The verdicts on the expectations, in order. Numbers that show a shift, or words of another expectation, give none for any of them. */
export function readVerdicts({ verdicts }: JudgeAnswer, expectations: readonly string[]): JudgeVerdict[] {
  const numbers = verdicts.map(({ n }) => n)
  const error = explainShift(numbers, expectations.length) ?? explainSwap(verdicts, expectations)
  return expectations.map((_, index) => (error ? { error } : readVerdictNumber(verdicts, index + 1)))
}

/** A verdict that begins with the words of another expectation; null: none does, as far as words were given. */
function explainSwap(verdicts: JudgeAnswer['verdicts'], expectations: readonly string[]): string | null {
  const beginnings = expectations.map((text) => ` ${normalText(text)}`)
  for (const { n, about = '' } of verdicts) {
    const words = ` ${normalText(about)}`.split(' ').slice(0, 7).join(' ')
    const fits = beginnings.flatMap((text, index) => (text.startsWith(words) ? [index + 1] : []))
    if (words.trim() !== '' && fits.length > 0 && !fits.includes(n))
      return `the verdict on number ${n} begins with the words of number ${fits[0]}`
  }
  return null
}

/** A number of none of them; or one is missing, and either another is there twice or the first is the missing one. null: no sign. */
function explainShift(numbers: readonly number[], count: number): string | null {
  const stray = numbers.find((n) => !Number.isInteger(n) || n < 1 || n > count)
  if (stray !== undefined) return `the judge gave a verdict on number ${stray}, and the numbers are 1 to ${count}`
  const missing = Array.from({ length: count }, (_, index) => index + 1).find((n) => !numbers.includes(n))
  const isTwice = new Set(numbers).size < numbers.length
  const isShifted = missing !== undefined && (isTwice || (missing === 1 && numbers.length > 0))
  return isShifted ? `the judge gave no verdict on number ${missing}, so the others may be shifted` : null
}

function readVerdictNumber(verdicts: JudgeAnswer['verdicts'], n: number): JudgeVerdict {
  const [first, ...more] = verdicts.filter((one) => one.n === n)
  if (first === undefined) return { error: 'the judge gave no verdict' }
  if (more.some((one) => one.passed !== first.passed)) return { error: 'the judge gave verdicts that contradict' }
  const evidence = [first, ...more].map((one) => one.evidence.trim()).find((text) => text !== '')
  return evidence === undefined
    ? { error: 'the judge gave a verdict without evidence' }
    : { passed: first.passed, evidence: boundedText(evidence) }
}

/** What the judge has to fix, in one line; null: every expectation has its verdict. */
export function findMissingVerdicts(answer: JudgeAnswer, expectations: readonly string[]): string | null {
  const wrong = readVerdicts(answer, expectations).flatMap((one, index) =>
    'error' in one ? [`expectation ${index + 1}: ${one.error}`] : [],
  )
  return wrong.length === 0 ? null : `each expectation needs one verdict with evidence; ${wrong.join('; ')}`
}

const most = { characters: 8000, entries: 50 }

export function boundedText(text: string): string {
  return text.length > most.characters ? `${text.slice(0, most.characters)}…` : text
}

/** Keeps the first entries of a judge's list, each bounded. */
export function boundedList<T, R>(list: readonly T[], bound: (one: T) => R): R[] {
  return list.slice(0, most.entries).map(bound)
}

/** The files to search, and the texts that the judge was given, which are not evidence. */
export interface QuoteSources {
  files: readonly EvidenceFile[]
  given: readonly string[]
  claims: (statement: string) => IsClaim
}

export interface VerifiedVerdict {
  verdict: JudgeVerdict
  /** Missing quotes with what they had to prove; empty: nothing is doubtful. */
  missing: MissingQuotes[]
}

export interface MissingQuotes {
  /** A dimension or hard fail of the rubric; null: the statement itself. */
  of: string | null
  quotes: string[]
  unread: string[]
}

export function lookUpVerdict(verdict: JudgeVerdict, text: string, sources: QuoteSources): VerifiedVerdict {
  if ('error' in verdict) return { verdict, missing: [] }
  const check = verifyEvidence(verdict.evidence, toEvidenceContext(text, sources))
  return { verdict: { ...verdict, ...toVerificationFields(check) }, missing: listMissingQuotes([{ of: null, check }]) }
}

/** Verifies the verdict on a rubric, which is only as well proved as its worst justification or hard fail. */
export function lookUpRubric(verdict: JudgeVerdict, rubric: Rubric, sources: QuoteSources): VerifiedVerdict {
  if ('error' in verdict || verdict.rubric === undefined) return { verdict, missing: [] }
  const told = { ...sources, given: [...sources.given, ...listRubricTexts(rubric)] }
  const look = (of: string, text: string) => ({ of, check: verifyEvidence(text, toEvidenceContext(of, told)) })
  const { dimensions, hard_fails } = verdict.rubric
  const scores = dimensions.map((one) => look(one.name, one.justification))
  const fails = hard_fails.map((one) => look(one.text, one.evidence))
  const result: RubricResult = {
    ...verdict.rubric,
    dimensions: dimensions.map((one, index) => ({ ...one, ...toVerificationFields(scores[index]?.check) })),
    hard_fails: hard_fails.map((one, index) => ({ ...one, ...toVerificationFields(fails[index]?.check) })),
  }
  const all = [...scores, ...fails]
  return {
    verdict: {
      ...verdict,
      ...toVerificationFields(combineEvidenceChecks(all.map(({ check }) => check))),
      rubric: result,
    },
    missing: listMissingQuotes(all),
  }
}

/** Verifies a claim; one without a quote keeps its verdict. */
export function lookUpClaim(claim: Claim, sources: QuoteSources): Claim {
  return { ...claim, ...toVerificationFields(verifyEvidence(claim.evidence, toEvidenceContext(claim.claim, sources))) }
}

function toEvidenceContext(statement: string, { files, given, claims }: QuoteSources): EvidenceContext {
  return { files, given: [statement, ...given], isClaim: claims(statement) }
}

function toVerificationFields(check: EvidenceCheck | undefined) {
  if (check === undefined) return {}
  return { evidence_verified: check.verified, ...(check.at && { evidence_at: check.at }) }
}

/** Evidence without a quote does not weaken quotes elsewhere. */
function combineEvidenceChecks(checks: readonly EvidenceCheck[]): EvidenceCheck {
  const has = (verified: EvidenceCheck['verified']) => checks.some((check) => check.verified === verified)
  const verified = (['absent', 'claim', 'fuzzy', 'exact'] as const).find(has) ?? 'not_a_quote'
  const at = checks.find((check) => check.at !== null)?.at ?? null
  return { verified, at, missing: checks.flatMap(({ missing }) => missing) }
}

function listMissingQuotes(checks: readonly { of: string | null; check: EvidenceCheck }[]): MissingQuotes[] {
  return checks.flatMap(({ of, check }) =>
    check.missing.length === 0 ? [] : [{ of, quotes: check.missing, unread: check.unread ?? [] }],
  )
}

function listRubricTexts({ dimensions, hard_fails = [] }: Rubric): string[] {
  const told = dimensions.flatMap(({ name, description, anchors = {} }) => [
    name,
    description,
    ...Object.values(anchors),
  ])
  return [...told, ...hard_fails].flatMap((text) => text ?? [])
}

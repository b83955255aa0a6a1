/** Verifies all quotes of a judge: for a verdict, for each score and hard fail of a rubric, for a claim. */
import type { Claim } from '../../../../schemas/grading.ts'
import type { Rubric, RubricResult } from '../../../../schemas/rubric.ts'
import type { IsClaim } from '../evidence/agent_claims.ts'
import {
  type EvidenceCheck,
  type EvidenceContext,
  type EvidenceFile,
  verifyEvidence,
} from '../evidence/verify_evidence.ts'
import type { JudgeVerdict } from './judge_answer.ts'

/** The files to search, and the texts that the judge was given, which are not evidence. */
export interface QuoteSources {
  files: readonly EvidenceFile[]
  given: readonly string[]
  /** By the statement that a quote has to prove. */
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
  /** Named files that are not text. */
  unread: string[]
}

/** Verifies the verdict on an expectation. */
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

/** Texts of a rubric that the judge was given. */
function listRubricTexts({ dimensions, hard_fails = [] }: Rubric): string[] {
  const told = dimensions.flatMap(({ name, description, anchors = {} }) => [
    name,
    description,
    ...Object.values(anchors),
  ])
  return [...told, ...hard_fails].flatMap((text) => text ?? [])
}

/** Looks up all that a judge quotes: for a verdict, for each score and hard fail of a rubric, for a claim. */
import type { Claim } from '../../../schemas/grading.ts'
import type { Rubric, RubricResult } from '../../../schemas/rubric.ts'
import { type EvidenceCheck, type EvidenceFile, verifyEvidence } from './evidence/verify.ts'
import type { Verdict } from './judge_answer.ts'

/** Where to look, and what the judge was told itself: a quote of that is no evidence. */
export interface Sources {
  files: readonly EvidenceFile[]
  given: readonly string[]
}

export interface LookedUp {
  verdict: Verdict
  /** What stands nowhere, each with what it was to prove; empty: nothing is in doubt. */
  missing: Missing[]
}

export interface Missing {
  /** A dimension or hard fail of the rubric; null: the statement itself. */
  of: string | null
  quotes: string[]
  /** Files that are named and are no text. */
  unread: string[]
}

/** The verdict on an expectation. */
export function lookUpVerdict(verdict: Verdict, text: string, { files, given }: Sources): LookedUp {
  if ('error' in verdict) return { verdict, missing: [] }
  const check = verifyEvidence(verdict.evidence, files, [text, ...given])
  return { verdict: { ...verdict, ...fieldsOf(check) }, missing: missingIn([{ of: null, check }]) }
}

/** The verdict on a rubric is as well proved as the worst of its justifications and hard fails. */
export function lookUpRubric(verdict: Verdict, rubric: Rubric, { files, given }: Sources): LookedUp {
  if ('error' in verdict || verdict.rubric === undefined) return { verdict, missing: [] }
  const told = [...given, ...textsOf(rubric)]
  const look = (of: string, text: string) => ({ of, check: verifyEvidence(text, files, told) })
  const { dimensions, hard_fails } = verdict.rubric
  const scores = dimensions.map((one) => look(one.name, one.justification))
  const fails = hard_fails.map((one) => look(one.text, one.evidence))
  const result: RubricResult = {
    ...verdict.rubric,
    dimensions: dimensions.map((one, index) => ({ ...one, ...fieldsOf(scores[index]?.check) })),
    hard_fails: hard_fails.map((one, index) => ({ ...one, ...fieldsOf(fails[index]?.check) })),
  }
  const all = [...scores, ...fails]
  return {
    verdict: { ...verdict, ...fieldsOf(together(all.map(({ check }) => check))), rubric: result },
    missing: missingIn(all),
  }
}

/** A claim without a quote is as it was. */
export function lookUpClaim(claim: Claim, { files, given }: Sources): Claim {
  return { ...claim, ...fieldsOf(verifyEvidence(claim.evidence, files, [claim.claim, ...given])) }
}

function fieldsOf(check: EvidenceCheck | undefined) {
  if (check === undefined) return {}
  return { evidence_verified: check.verified, ...(check.at && { evidence_at: check.at }) }
}

/** One without a quote takes nothing from those with one. */
function together(checks: readonly EvidenceCheck[]): EvidenceCheck {
  const has = (verified: EvidenceCheck['verified']) => checks.some((check) => check.verified === verified)
  const verified = has('absent') ? 'absent' : has('fuzzy') ? 'fuzzy' : has('exact') ? 'exact' : 'not_a_quote'
  const at = checks.find((check) => check.at !== null)?.at ?? null
  return { verified, at, missing: checks.flatMap(({ missing }) => missing) }
}

function missingIn(checks: readonly { of: string | null; check: EvidenceCheck }[]): Missing[] {
  return checks.flatMap(({ of, check }) =>
    check.missing.length === 0 ? [] : [{ of, quotes: check.missing, unread: check.unread ?? [] }],
  )
}

/** What the judge was told of a rubric. */
function textsOf({ dimensions, hard_fails = [] }: Rubric): string[] {
  const told = dimensions.flatMap(({ name, description, anchors = {} }) => [
    name,
    description,
    ...Object.values(anchors),
  ])
  return [...told, ...hard_fails].flatMap((text) => text ?? [])
}

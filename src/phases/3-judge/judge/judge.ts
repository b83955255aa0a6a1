/** Asks a judge to decide the expectations of one run in one question, and verifies its evidence. */
import path from 'node:path'
import type { Claim, GradedExpectation, Grading } from '../../../../schemas/grading.ts'
import type { HeldBack } from '../../../../schemas/held_back.ts'
import { sumCallUsage, toAskedJudge } from '../../../engines/ask/cost_meter.ts'
import { readEvents } from '../checks/inputs/events.ts'
import { createClaimDetector } from '../evidence/agent_claims.ts'
import { evidenceFiles } from '../evidence/verify_evidence.ts'
import { findInjectionAttempts as findAttempts, searchRun } from '../injections/find_injections.ts'
import { type JudgeRequest, type JudgeResult, ownJudges } from '../judge_request.ts'
import type { JudgeAnswer, JudgeVerdict } from './judge_answer.ts'
import { boundedList, boundedText, lookUpClaim } from './judge_answer.ts'
import { openJudgeTempDir } from './judge_folder.ts'
import { buildJudgeRunView, type JudgeImages, readJudgeImages } from './run_excerpt.ts'
import { takeVote } from './second_question.ts'

/** Rejects only when aborted, or if the temp directory cannot be created (disk full). */
export async function judgeRun(request: JudgeRequest): Promise<JudgeResult> {
  const { case: one, runFolder, documents, signal } = request
  if (one.judging !== undefined) {
    const judged = await judgeOwnWay(request, one.judging.kind)
    const found = await searchRun({ runFolder, prompt: one.prompt, documents, signal })
    return { ...judged, ...(found.length > 0 && { injectionAttempts: found }) }
  }
  const { prompt, files: inputs } = one
  const verbatim = request.fenceOf !== undefined
  const { record } = request
  await using tempDir = await openJudgeTempDir({ runFolder, inputs, record, prompt, verbatim, documents, signal })
  const { outputs, texts } = tempDir
  const files = evidenceFiles({ runFolder, prompt, outputs, inputs: tempDir.inputs, texts })
  const events = await readEvents(path.join(runFolder, 'transcript.jsonl')).catch(() => [])
  const claims = createClaimDetector(events)
  const images = await readJudgeImages(outputs, request.judge.engine.seesImages)
  const { fenceOf } = request
  const buildView = (shown: JudgeImages, shorter: number) =>
    buildJudgeRunView({ tempDir, files, images: shown, shorter, fenceOf })
  const session = { request, tempDir, files, claims, images, buildView }
  const first = await takeVote({ ...session, sample: 1 })
  const more: JudgeResult[] = []
  // in sequence, because the provider then caches the shared prompt of the first
  for (let sample = 2; sample <= (request.samples ?? 1); sample += 1) {
    more.push(await takeVote({ ...session, sample }))
  }
  const injectionAttempts = findAttempts({ files, names: tempDir.names, prompt })
  const judged = countVotes([first, ...more])
  const said = (record.conversation?.turns ?? []).map((turn) => turn.prompt)
  const sources = { files, claims, given: [prompt, ...said, one.expected_output ?? ''] }
  const made = judged.answer && boundedList(judged.answer.claims, (claim) => lookUpClaim(boundedClaim(claim), sources))
  return { ...judged, ...(made && { claims: made }), ...(injectionAttempts.length > 0 && { injectionAttempts }) }
}

async function judgeOwnWay(request: JudgeRequest, kind: keyof typeof ownJudges): Promise<JudgeResult> {
  const judge = await ownJudges[kind]?.load()
  if (judge !== undefined) return await judge(request)
  const error = `nothing here judges a case of the kind ${kind}`
  return { verdicts: [{ error }], answer: null, spent: sumCallUsage([]) }
}

function boundedClaim(claim: Claim): Claim {
  return { ...claim, claim: boundedText(claim.claim), evidence: boundedText(claim.evidence) }
}

/** Combines at least one vote. No verdict if failed votes (judge errors) could have changed the majority. */
export function countVotes(votes: readonly [JudgeResult, ...JudgeResult[]]): JudgeResult {
  const [first, ...others] = votes
  if (others.length === 0) return first
  const verdicts = first.verdicts.map((_, index) => majority(votes.map((vote) => vote.verdicts[index] ?? noVerdict)))
  const agreements = verdicts.flatMap((verdict) => ('error' in verdict ? [] : (verdict.votes?.agreement ?? [])))
  const made = votes.filter((vote) => vote.cachedFrom === undefined)
  const askedAgain = votes.reduce((sum, vote) => sum + (vote.askedAgain ?? 0), 0)
  return {
    verdicts,
    answer: votes.find(({ answer }) => answer !== null)?.answer ?? null,
    spent: sumCallUsage((made.length === 0 ? votes : made).map(({ spent }) => spent)),
    ...(askedAgain > 0 && { askedAgain }),
    samples: votes.length,
    ...(agreements.length > 0 && { agreement: agreements.reduce((sum, one) => sum + one, 0) / agreements.length }),
    ...(made.length === 0 && first.cachedFrom && { cachedFrom: first.cachedFrom }),
  }
}

const noVerdict: JudgeVerdict = { error: 'the judge gave no verdict' }
type GivenVerdict = Exclude<JudgeVerdict, { error: string }>

function majority(verdicts: readonly JudgeVerdict[]): JudgeVerdict {
  const given = verdicts.filter((verdict): verdict is GivenVerdict => !('error' in verdict))
  const lost = verdicts.find((verdict) => 'error' in verdict)
  if (given.length === 0) return lost ?? noVerdict
  const [passes, fails] = [given.filter(({ passed }) => passed), given.filter(({ passed }) => !passed)]
  const isPass = passes.length > fails.length
  const lead = isPass ? passes.length - fails.length - 1 : fails.length - passes.length
  const missing = verdicts.length - given.length
  if (lost !== undefined && lead < missing) {
    return { error: `votes: ${passes.length} passed, ${fails.length} failed, ${missing} missing: ${lost.error}` }
  }
  const side = isPass ? passes : fails
  const [best] = side.toSorted((a, b) => rankVerdictEvidence(a) - rankVerdictEvidence(b))
  if (best === undefined) return noVerdict
  const agreement = Math.max(passes.length, fails.length) / given.length
  return { ...best, votes: { passed: passes.length, failed: fails.length, agreement } }
}

const rank: Record<NonNullable<GradedExpectation['evidence_verified']>, number> = {
  exact: 0,
  fuzzy: 1,
  not_a_quote: 2,
  claim: 3,
  absent: 4,
}

/** Among votes of the winning side, the one with the best evidence is kept. */
function rankVerdictEvidence({ evidence_verified: verified }: GivenVerdict): number {
  return verified === undefined ? rank.not_a_quote : rank[verified]
}

/** The judge's parts of a grading; `asked` is the judge that was to decide. */
export function buildJudgeFields(
  { answer, claims, spent, decidedBy, askedAgain, samples, agreement, injectionAttempts, cachedFrom }: JudgeResult,
  asked: { name: string; model: string | null; heldBack?: HeldBack | null | undefined },
): Pick<Grading, 'claims' | 'user_notes_summary' | 'eval_feedback' | 'injection_attempts' | 'judge'> {
  const judge = {
    ...toAskedJudge(decidedBy ?? asked, spent),
    ...(askedAgain !== undefined && { asked_again: askedAgain }),
    ...(samples !== undefined && { samples }),
    ...(agreement !== undefined && { agreement }),
    ...(cachedFrom && { cached_from: cachedFrom }),
    ...(asked.heldBack && { held_back: asked.heldBack }),
  }
  const attempts = injectionAttempts && { injection_attempts: injectionAttempts }
  if (answer === null) return { ...attempts, judge }
  return {
    claims: claims ?? [],
    user_notes_summary: pickUserNotes(answer),
    ...pickEvalFeedback(answer),
    ...attempts,
    judge,
  }
}

/** Only if the judge raised something. */
function pickEvalFeedback({ eval_feedback }: JudgeAnswer): Pick<Grading, 'eval_feedback'> {
  if (eval_feedback === null) return {}
  const { suggestions, overall } = eval_feedback
  if (suggestions.length === 0 && overall.trim() === '') return {}
  return {
    eval_feedback: {
      overall: boundedText(overall),
      suggestions: boundedList(suggestions, ({ assertion, reason }) => ({
        ...(assertion && { assertion: boundedText(assertion) }),
        reason: boundedText(reason),
      })),
    },
  }
}

function pickUserNotes({ user_notes_summary: notes }: JudgeAnswer): Grading['user_notes_summary'] {
  const { uncertainties, needs_review, workarounds } = notes
  return {
    uncertainties: boundedList(uncertainties, boundedText),
    needs_review: boundedList(needs_review, boundedText),
    workarounds: boundedList(workarounds, boundedText),
  }
}

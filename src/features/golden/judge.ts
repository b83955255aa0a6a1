/** Judges an Atomic Agent's golden test: its own prompt, scores as JSON, one stricter retry, fallback judges. The verdict is computed, never by a model. */
import path from 'node:path'
import * as z from 'zod'
import { type FactualCheck, factualCheck, type Golden, type GoldenScores } from '../../../schemas/golden.ts'
import { tryParseJson } from '../../base/json/json.ts'
import { type CallUsage, sumCallUsage } from '../../engines/ask/cost_meter.ts'
import { readEvents } from '../../phases/3-judge/checks/inputs/events.ts'
import {
  askPlainText,
  type CutPart,
  sumTokenCounts,
  type TokenCounts,
} from '../../phases/3-judge/judge/ask_plain_text.ts'
import type { JudgeVerdict } from '../../phases/3-judge/judge/judge_answer.ts'
import type { JudgeAccess, JudgeRequest, JudgeResult } from '../../phases/3-judge/judge_request.ts'
import { renderJudgePrompt, trajectoryText } from './judge_prompt.ts'

const stricter =
  'IMPORTANT: your last answer could not be read. Output ONLY one valid JSON object. No Markdown, no prose, no code fences.'

/** Rejects only when aborted. */
export async function judgeGolden(request: JudgeRequest): Promise<JudgeResult> {
  const { judging } = request.case
  if (judging?.kind !== 'golden') throw new Error(`case ${request.case.eval_id} is not a golden test`)
  const { golden } = judging
  const trajectory = await readEvents(path.join(request.runFolder, 'transcript.jsonl')).catch(() => [])
  const response = request.record.final_response
  const buildPrompt = (cut: CutPart) =>
    renderJudgePrompt(golden, { response: cut(response), trajectory: trajectoryText(trajectory, cut) })
  const { judge, credentials, gate } = request
  const seats: JudgeAccess[] = [{ judge, credentials, gate }, ...(request.fallbacks ?? [])]
  const asked: ScoredAnswer[] = []
  const unavailable: string[] = []
  const judged = (verdict: JudgeVerdict): JudgeResult => {
    const calls = asked.reduce((total, { spent }) => total + spent.calls, 0)
    const spent = { ...sumCallUsage(paidAnswers(asked).map((one) => one.spent)), calls }
    return { verdicts: [verdict], answer: null, spent }
  }
  for (const access of seats) {
    const end = await askForScores(request, access, { buildPrompt, golden })
    asked.push(end)
    if ('unavailable' in end) unavailable.push(`${nameJudgeAccess(access)}: ${end.unavailable}`)
    else if ('error' in end) return judged({ error: end.error })
    else {
      const verdict = toGoldenVerdict(end.answer, golden, { access, asked, unavailable })
      const { engine, model } = access.judge
      return { ...judged(verdict), ...(unavailable.length > 0 && { decidedBy: { name: engine.name, model } }) }
    }
  }
  return judged({ error: `no judge could be asked: ${unavailable.join('; ')}` })
}

/** Those that may have cost something: a judge that could not be asked and reported nothing cost nothing, if another answered. */
function paidAnswers(asked: readonly ScoredAnswer[]): readonly ScoredAnswer[] {
  const paid = asked.filter((one) => !('unavailable' in one) || one.spent.tokens !== null || one.spent.costUsd !== null)
  return paid.length === 0 ? asked : paid
}

type ScoredAnswer = { spent: CallUsage; tokens: TokenCounts } & (
  | { answer: GoldenAnswer }
  | { error: string }
  | { unavailable: string }
)

async function askForScores(
  request: JudgeRequest,
  access: JudgeAccess,
  of: { buildPrompt: (cut: CutPart) => string; golden: Golden },
): Promise<ScoredAnswer> {
  const dimensions = Object.keys(of.golden.rubric.weights)
  const { spent, tokens, ...first } = await askPlainText(request, access, of.buildPrompt)
  if ('error' in first) return { unavailable: first.error, spent, tokens }
  const answer = readGoldenAnswer(first.said, dimensions)
  if (!('problem' in answer)) return { answer, spent, tokens }
  const second = await askPlainText(request, access, (cut) => `${of.buildPrompt(cut)}\n\n${stricter}`)
  const both = { spent: sumCallUsage([spent, second.spent]), tokens: sumTokenCounts([tokens, second.tokens]) }
  if ('error' in second) return { unavailable: second.error, ...both }
  const again = readGoldenAnswer(second.said, dimensions)
  if (!('problem' in again)) return { answer: again, ...both }
  return { error: `the judge answered twice without scores: ${String(again.problem)}`, ...both }
}

function toGoldenVerdict(
  answer: GoldenAnswer,
  golden: Golden,
  { access, asked, unavailable }: { access: JudgeAccess; asked: readonly ScoredAnswer[]; unavailable: string[] },
): JudgeVerdict {
  const scores = scoreGolden(answer, golden)
  const why = [
    ...scores.hard_fails.map((code) => `hard fail ${code}`),
    ...(golden.judge.strict_mode ? scores.unmet.map((text) => `not met: ${text}`) : []),
    ...(scores.weighted < golden.rubric.threshold_pass ? [`below ${golden.rubric.threshold_pass}`] : []),
  ]
  const evidence = [`weighted score ${scores.weighted.toFixed(2)}`, ...why, scores.justification]
  const tokens = sumTokenCounts(paidAnswers(asked).map((one) => one.tokens))
  return {
    passed: scores.verdict === 'pass',
    evidence: evidence.filter(Boolean).join('; '),
    golden: {
      ...scores,
      judge: nameJudgeAccess(access),
      ...(unavailable.length > 0 && { unavailable }),
      judge_input_tokens: tokens.input,
      judge_output_tokens: tokens.output,
    },
  }
}

function nameJudgeAccess({ judge }: JudgeAccess): string {
  return [judge.engine.name, judge.model].filter(Boolean).join(':')
}

const scoredDimension = z.looseObject({ score: z.unknown(), justification: z.string().optional().catch(undefined) })
const answer = z.looseObject({
  hard_fails: z.array(z.string()).optional(),
  overall: z.union([z.looseObject({ justification: z.string().optional() }), z.string()]).optional(),
  factual_checks: z.array(factualCheck).optional(),
})

export type GoldenAnswer = z.infer<typeof answer>

/** The JSON of a judge's answer without code fences, or what is wrong with it. */
export function readGoldenAnswer(said: string, dimensions: readonly string[]): GoldenAnswer | { problem: string } {
  const bare = /^\s*```(?:json)?[ \t]*\n([\s\S]*?)\n?```\s*$/.exec(said)?.[1] ?? said
  const value = tryParseJson(bare.trim())
  if (value === undefined) return { problem: 'the answer is not JSON' }
  const read = answer.safeParse(value)
  if (!read.success) return { problem: z.prettifyError(read.error).replaceAll(/\s+/g, ' ') }
  const has = dimensions.some((name) => scoredDimension.safeParse(read.data[name]).success)
  const hasFacts = dimensions.includes('factual_accuracy') && (read.data.factual_checks ?? []).length > 0
  if (has || hasFacts || (read.data.hard_fails ?? []).length > 0) return read.data
  return { problem: `the answer scores none of ${dimensions.join(', ')}` }
}

export function scoreGolden(given: GoldenAnswer, { rubric, criteria, judge }: Golden): GoldenScores {
  const clamped: GoldenScores['clamped'] = []
  const scores: Record<string, number> = {}
  const justifications: Record<string, string> = {}
  for (const dimension of Object.keys(rubric.weights)) {
    const read = scoredDimension.safeParse(given[dimension] ?? deriveFactScore(dimension, given.factual_checks ?? []))
    if (!read.success || read.data.score === undefined) continue
    if (read.data.justification !== undefined) justifications[dimension] = read.data.justification
    const score = parseRubricScore(read.data.score)
    const within = score === null ? null : Math.min(5, Math.max(1, score))
    if (within !== score || within === null) clamped.push({ dimension, raw: read.data.score, clamped: within })
    if (within !== null) scores[dimension] = within
  }
  const weighted = Math.round(computeWeightedScore(scores, rubric.weights) * 100) / 100
  const hardFails = given.hard_fails ?? []
  const unmet = listUnmetCriteria(criteria, scores, hardFails)
  const isPassed =
    hardFails.length === 0 && weighted >= rubric.threshold_pass && !(judge.strict_mode && unmet.length > 0)
  const { overall } = given
  return {
    scores,
    justifications,
    clamped,
    weighted,
    hard_fails: hardFails,
    unmet,
    verdict: isPassed ? 'pass' : 'fail',
    justification: (typeof overall === 'string' ? overall : overall?.justification) ?? '',
    factual_checks: given.factual_checks ?? [],
  }
}

/** Score from the share of facts if the judge gave none: a correct and cited fact counts 1, a correct one 0.5. */
function deriveFactScore(dimension: string, checks: readonly FactualCheck[]): unknown {
  if (dimension !== 'factual_accuracy' || checks.length === 0) return undefined
  const verified = checks.reduce((sum, { stated_in_response, value_correct, cited }) => {
    if (!(stated_in_response && value_correct)) return sum
    return sum + (cited ? 1 : 0.5)
  }, 0)
  const score = Math.max(1, Math.min(5, roundHalfEven((5 * verified) / checks.length)))
  return { score, justification: 'derived from factual_checks' }
}

/** Rounds half to even, as the format's reference does: 2.5 is 2, 3.5 is 4. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}

function parseRubricScore(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'string' && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : null
}

/** Mean over the scored dimensions. */
function computeWeightedScore(
  scores: Readonly<Record<string, number>>,
  weights: Readonly<Record<string, number>>,
): number {
  let [total, sum] = [0, 0]
  for (const [dimension, score] of Object.entries(scores)) {
    total += score * (weights[dimension] ?? 0)
    sum += weights[dimension] ?? 0
  }
  return sum === 0 ? 0 : total / sum
}

function listUnmetCriteria(
  { thresholds, no_hard_fails }: Golden['criteria'],
  scores: Readonly<Record<string, number>>,
  hardFails: readonly string[],
): string[] {
  const below = thresholds.flatMap(({ dimension, at_least, more, text }) => {
    const score = scores[dimension]
    if (score === undefined) return [`${text} (not scored)`]
    const isMet = more === true ? score > at_least : score >= at_least
    return isMet ? [] : [`${text} (scored ${score})`]
  })
  return no_hard_fails && hardFails.length > 0 ? [...below, `no hard fails (${hardFails.join(', ')})`] : below
}

/** Computes scores, the weighted score, hard fails and the verdict from a judge's JSON; a model never computes them. */
import * as z from 'zod'
import { type FactualCheck, factualCheck, type Golden, type GoldenScores } from '../../../schemas/golden.ts'
import { tryParseJson } from '../../base/json/json.ts'

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

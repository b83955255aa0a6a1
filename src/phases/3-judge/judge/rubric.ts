/** Checks a judge's scores against its rubric and computes the weighted score; a model never computes it. */
import { dimensionKey, type Rubric, type RubricResult } from '../../../../schemas/rubric.ts'
import { boundedText } from './answer_bounds.ts'
import { findMissingVerdicts, type JudgeAnswer, type JudgeVerdict, readVerdicts } from './judge_answer.ts'

/** The expectations and the rubric of a question, if any. */
export interface AskedCriteria {
  expectations: readonly string[]
  rubric?: Rubric | undefined
}

const usualThreshold = 4

/** The verdict on each expectation, in order, then that on the rubric, if there is one. */
export function readAllVerdicts(answer: JudgeAnswer, { expectations, rubric }: AskedCriteria): JudgeVerdict[] {
  const verdicts = readVerdicts(answer, expectations.length)
  return rubric === undefined ? verdicts : [...verdicts, rubricVerdict(answer, rubric)]
}

/** The same error for every expectation and the rubric. */
export function buildUndecidedVerdicts({ expectations, rubric }: AskedCriteria, error: string): JudgeVerdict[] {
  return Array.from({ length: expectations.length + (rubric === undefined ? 0 : 1) }, () => ({ error }))
}

/** What the judge has to fix, in one line; null: nothing. */
export function findAnswerMistakes(answer: JudgeAnswer, { expectations, rubric }: AskedCriteria): string | null {
  const missing = findMissingVerdicts(answer, expectations.length)
  const mistakes = rubric === undefined ? [] : findRubricMistakes(answer, rubric)
  const all = [...(missing === null ? [] : [missing]), ...(mistakes.length === 0 ? [] : [rubricFix(mistakes)])]
  return all.length === 0 ? null : all.join('; ')
}

function rubricFix(mistakes: readonly string[]): string {
  return `the rubric needs one score from 1 to 5 with a justification for each of its dimensions; ${mistakes.join('; ')}`
}

function rubricVerdict(answer: JudgeAnswer, rubric: Rubric): JudgeVerdict {
  const mistakes = findRubricMistakes(answer, rubric)
  if (mistakes.length > 0) return { error: `the judge's scores do not fit the rubric: ${mistakes.join('; ')}` }
  const result = toRubricResult(answer, rubric)
  return { passed: result.passed, evidence: describeRubricResult(result), rubric: result }
}

/** Scores that are missing, unknown, contradictory, out of range or unjustified, and unknown hard fails. */
function findRubricMistakes({ rubric: given }: JudgeAnswer, { dimensions, hard_fails = [] }: Rubric): string[] {
  if (given === null) return ['there are no scores']
  const known = new Set(dimensions.map(({ name }) => dimensionKey(name)))
  const unknown = given.scores.filter(({ dimension }) => !known.has(dimensionKey(dimension)))
  const strange = given.hard_fails.filter(({ n }) => hard_fails[n - 1] === undefined)
  return [
    ...dimensions.flatMap(({ name }) => findDimensionMistakes(name, given.scores)),
    ...unknown.map(({ dimension }) => `${formatJudgeText(dimension)} is no dimension of the rubric`),
    ...strange.map(({ n }) => `there is no hard fail ${n}`),
    ...given.hard_fails
      .filter(({ evidence }) => evidence.trim() === '')
      .map(({ n }) => `hard fail ${n} has no evidence`),
  ]
}

function findDimensionMistakes(name: string, scores: NonNullable<JudgeAnswer['rubric']>['scores']): string[] {
  const own = scores.filter(({ dimension }) => dimensionKey(dimension) === dimensionKey(name))
  const [first] = own
  if (first === undefined) return [`${name} has no score`]
  if (own.some(({ score }) => score !== first.score)) return [`${name} has scores that contradict`]
  if (!Number.isInteger(first.score) || first.score < 1 || first.score > 5) {
    return [`${name} has the score ${first.score}, not a whole number from 1 to 5`]
  }
  return own.every(({ justification }) => justification.trim() === '') ? [`${name} has no justification`] : []
}

/** Expects an answer without mistakes. */
function toRubricResult({ rubric: given }: JudgeAnswer, rubric: Rubric): RubricResult {
  const dimensions = rubric.dimensions.map(({ name, weight }) => {
    const own = (given?.scores ?? []).filter(({ dimension }) => dimensionKey(dimension) === dimensionKey(name))
    const justification = own.map((one) => one.justification.trim()).find((text) => text !== '') ?? ''
    return { name, weight, score: own[0]?.score ?? 1, justification: boundedText(justification) }
  })
  const hard_fails = (given?.hard_fails ?? []).flatMap(({ n, evidence }) => {
    const text = rubric.hard_fails?.[n - 1]
    return text === undefined ? [] : [{ text, evidence: boundedText(evidence.trim()) }]
  })
  const total = dimensions.reduce((sum, { weight }) => sum + weight, 0)
  const score = dimensions.reduce((sum, one) => sum + one.weight * one.score, 0) / total
  const threshold = rubric.threshold ?? usualThreshold
  // binary rounding must not fail a score that equals the threshold
  const passed = hard_fails.length === 0 && score >= threshold - 1e-9
  return { dimensions, hard_fails, weighted_score: Math.round(score * 100) / 100, threshold, passed }
}

function describeRubricResult({ dimensions, hard_fails, weighted_score, threshold }: RubricResult): string {
  const scores = dimensions.map(({ name, score }) => `${name} ${score}`).join(', ')
  const fails = hard_fails.map(({ text, evidence }) => `; hard fail: ${text} (${evidence})`).join('')
  return `${weighted_score} of 5, ${threshold} passes (${scores})${fails}`
}

function formatJudgeText(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

/** Asks a judge to compare two deliveries blind, in both orders. */
import type { ComparedSide, Comparison, Criteria } from '../../../../schemas/comparison.ts'
import type { InputFile } from '../../../../schemas/suite.ts'
import { askEngine } from '../../../engines/ask/ask.ts'
import type { CallUsage } from '../../../engines/ask/cost_meter.ts'
import { createDocumentReads, type DocumentReading } from '../../../phases/3-judge/documents/document_reads.ts'
import { buildJudgeTask, type JudgeContext } from '../../../phases/3-judge/judge_request.ts'
import { type Blinder, type Delivery, measureDelivery, openComparisonTempDir } from './blind.ts'
import {
  type BlindTask,
  type ComparisonQuestion,
  chosenCriteria,
  compareAnswer,
  comparePrompt,
  contradicts,
  criteriaAnswer,
  criteriaPrompt,
  findMissingInComparison,
  type OrderJudgement,
  type SideLabel,
  scoreSide,
  toComparedResults,
  toOrderJudgement,
  usualCriteria,
} from './prompt.ts'

export interface PairRequest {
  A: Delivery
  B: Delivery
  first: SideLabel
  task: BlindTask
  inputs: readonly InputFile[]
  criteria: Criteria
  blind: Blinder
}

type Verdict = ReturnType<typeof combineJudgements> & Pick<Comparison, 'criteria' | 'lengths'>
export type PairEnd =
  | { status: 'judged'; verdict: Verdict; spent: CallUsage[] }
  | { status: 'error'; reason: string; spent: CallUsage[] }

/** Judges both orders; an error in one is an error of the pair. Rejects only when aborted, or if a temp directory cannot be created. */
export async function comparePair(request: PairRequest, asking: JudgeContext): Promise<PairEnd> {
  const second: SideLabel = request.first === 'A' ? 'B' : 'A'
  const documents = createDocumentReads()
  const one = await judgeOrder({ ...request, documents }, request.first, asking)
  if ('reason' in one) return { status: 'error', reason: one.reason, spent: [one.spent] }
  const two = await judgeOrder({ ...request, documents }, second, asking)
  const spent = [one.spent, two.spent]
  if ('reason' in two) return { status: 'error', reason: two.reason, spent }
  const verdict = combineJudgements([one.judgement, two.judgement], request.task.expectations)
  const lengths = { A: measureDelivery(request.A), B: measureDelivery(request.B) }
  return { status: 'judged', verdict: { ...verdict, criteria: request.criteria, lengths }, spent }
}

/** Returns the criteria for a task and their cost; the usual criteria if the judge's are unusable. */
export async function askCriteria(
  task: BlindTask,
  cwd: string,
  asking: JudgeContext,
): Promise<{ criteria: Criteria; spent: CallUsage }> {
  const asked = await askEngine({
    ...buildJudgeTask(asking, { cwd, mark: null, prompt: criteriaPrompt(task), tools: 'none' }),
    schema: criteriaAnswer,
  })
  const chosen = asked.status === 'answered' ? chosenCriteria(asked.value) : null
  return { criteria: chosen ?? usualCriteria, spent: asked.spent }
}

type Order = { judgement: OrderJudgement; spent: CallUsage } | { reason: string; spent: CallUsage }

async function judgeOrder(
  request: PairRequest & Pick<DocumentReading, 'documents'>,
  first: SideLabel,
  asking: JudgeContext,
): Promise<Order> {
  const { A, B, task, inputs, criteria, blind, documents } = request
  const deliveries = first === 'A' ? ([A, B] as const) : ([B, A] as const)
  await using tempDir = await openComparisonTempDir({ deliveries, inputs, blind, documents, signal: asking.signal })
  const asks: ComparisonQuestion = { criteria, expectations: task.expectations.length }
  const { shown, hasInputs } = tempDir
  const prompt = comparePrompt({ task, criteria, shown, hasInputs })
  const asked = await askEngine({
    ...buildJudgeTask(asking, { cwd: tempDir.cwd, mark: tempDir.mark, prompt, tools: 'read_only' }),
    schema: compareAnswer,
    review: (answer) => findMissingInComparison(answer, asks),
  })
  if (asked.status === 'error') return { reason: asked.error, spent: asked.spent }
  const missing = findMissingInComparison(asked.value, asks)
  if (missing !== null) return { reason: `the judge left out what was asked: ${missing}`, spent: asked.spent }
  return { judgement: toOrderJudgement(asked.value, asks, first), spent: asked.spent }
}

/** The verdict and its reasons, in the seed's form. Scores are the means of both judgements. */
export function combineJudgements(
  [one, two]: readonly [OrderJudgement, OrderJudgement],
  expectations: readonly string[],
): Pick<
  Comparison,
  | 'winner'
  | 'reasoning'
  | 'rubric'
  | 'output_quality'
  | 'expectation_results'
  | 'order'
  | 'flips'
  | 'judgements'
  | 'contradicts_scores'
> {
  const agree = one.winner === two.winner
  const winner = agree ? one.winner : 'TIE'
  const rubric = { A: meanSide('A', one, two), B: meanSide('B', one, two) }
  const quality = (label: SideLabel) => ({
    score: Math.round(rubric[label].overall_score),
    strengths: [...new Set([...one.strengths[label], ...two.strengths[label]])],
    weaknesses: [...new Set([...one.weaknesses[label], ...two.weaknesses[label]])],
  })
  const met = (label: SideLabel) =>
    toComparedResults(
      expectations,
      one.passed[label].map((passed, index) => passed && two.passed[label][index] === true),
    )
  return {
    winner,
    reasoning: agree ? one.reasoning : disagreement(one, two),
    rubric,
    output_quality: { A: quality('A'), B: quality('B') },
    ...(expectations.length > 0 && { expectation_results: { A: met('A'), B: met('B') } }),
    order: [one.first, two.first],
    flips: agree ? 0 : 1,
    judgements: [one, two].map(({ first, winner: said, reasoning, rubric: { A, B }, contradicts: against }) => ({
      shown_first: first,
      winner: said,
      reasoning,
      overall_score: { A: A.overall_score, B: B.overall_score },
      contradicts_scores: against,
    })),
    contradicts_scores: one.contradicts || two.contradicts || contradicts(winner, rubric),
  }
}

function disagreement(one: OrderJudgement, two: OrderJudgement): string {
  const said = ({ first, winner, reasoning }: OrderJudgement) =>
    `With ${first} shown first the judge said ${winner}: ${reasoning}`
  return `The verdict changed with the order, so the pair counts as a tie. ${said(one)} ${said(two)}`
}

function meanSide(label: SideLabel, one: OrderJudgement, two: OrderJudgement): ComparedSide {
  const mean = (part: 'content' | 'structure') => {
    const second = two.rubric[label][part]
    return Object.fromEntries(
      Object.entries(one.rubric[label][part]).map(([name, score]) => [name, (score + (second[name] ?? score)) / 2]),
    )
  }
  return scoreSide(mean('content'), mean('structure'))
}

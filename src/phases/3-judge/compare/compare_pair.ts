/** Has a judge compare two deliveries in both orders, blind. */
import type { Comparison, Criteria } from '../../../../schemas/comparison.ts'
import type { InputFile } from '../../../../schemas/suite.ts'
import { ask } from '../ask.ts'
import type { Spent } from '../meter.ts'
import { type Asks, compareAnswer, type Judgement, judgementOf, type Label, missingInComparison } from './answer.ts'
import { type Asking, questionTo } from './asking.ts'
import type { Blinder } from './blind.ts'
import { combine } from './combine.ts'
import { chosenCriteria, criteriaAnswer, criteriaPrompt, usualCriteria } from './criteria.ts'
import { type BlindTask, comparePrompt } from './prompt.ts'
import { type Delivery, lengthOf, openComparisonRoom } from './sides.ts'

export interface PairRequest {
  A: Delivery
  B: Delivery
  /** Which is shown first in the first judgement. */
  first: Label
  task: BlindTask
  inputs: readonly InputFile[]
  criteria: Criteria
  blind: Blinder
}

type Verdict = ReturnType<typeof combine> & Pick<Comparison, 'criteria' | 'lengths'>
export type PairEnd =
  | { status: 'judged'; verdict: Verdict; spent: Spent[] }
  | { status: 'error'; reason: string; spent: Spent[] }

/** Both orders; where one has no usable answer the pair has none. Rejects only when aborted, or when a room can't be built. */
export async function comparePair(request: PairRequest, asking: Asking): Promise<PairEnd> {
  const second: Label = request.first === 'A' ? 'B' : 'A'
  const one = await judgeOrder(request, request.first, asking)
  if ('reason' in one) return { status: 'error', reason: one.reason, spent: [one.spent] }
  const two = await judgeOrder(request, second, asking)
  const spent = [one.spent, two.spent]
  if ('reason' in two) return { status: 'error', reason: two.reason, spent }
  const verdict = combine([one.judgement, two.judgement], request.task.expectations)
  const lengths = { A: lengthOf(request.A), B: lengthOf(request.B) }
  return { status: 'judged', verdict: { ...verdict, criteria: request.criteria, lengths }, spent }
}

/** The criteria for a task, and what they cost; the usual ones where the judge gave none that can be used. */
export async function askCriteria(
  task: BlindTask,
  cwd: string,
  asking: Asking,
): Promise<{ criteria: Criteria; spent: Spent }> {
  const asked = await ask({
    ...questionTo(asking, { cwd, mark: null, prompt: criteriaPrompt(task), tools: 'none' }),
    schema: criteriaAnswer,
  })
  const chosen = asked.status === 'answered' ? chosenCriteria(asked.value) : null
  return { criteria: chosen ?? usualCriteria, spent: asked.spent }
}

type Order = { judgement: Judgement; spent: Spent } | { reason: string; spent: Spent }

async function judgeOrder(request: PairRequest, first: Label, asking: Asking): Promise<Order> {
  const { A, B, task, inputs, criteria, blind } = request
  await using room = await openComparisonRoom({ deliveries: first === 'A' ? [A, B] : [B, A], inputs, blind })
  const asks: Asks = { criteria, expectations: task.expectations.length }
  const { shown, hasInputs } = room
  const prompt = comparePrompt({ task, criteria, shown, hasInputs })
  const asked = await ask({
    ...questionTo(asking, { cwd: room.cwd, mark: room.mark, prompt, tools: 'read_only' }),
    schema: compareAnswer,
    review: (answer) => missingInComparison(answer, asks),
  })
  if (asked.status === 'error') return { reason: asked.error, spent: asked.spent }
  const missing = missingInComparison(asked.value, asks)
  if (missing !== null) return { reason: `the judge left out what was asked: ${missing}`, spent: asked.spent }
  return { judgement: judgementOf(asked.value, asks, first), spent: asked.spent }
}

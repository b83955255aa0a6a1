/** Asks a person before a benchmark that earlier runs predict to be expensive or long; never asks a script. */
import type { EstimatedPlan } from '../../../flows/bench/plan_with_estimate.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { Limits } from '../../../flows/limits/limits.ts'
import { readChosenPrices } from '../../prices_file.ts'
import { InterruptedError } from '../../terminal/interrupt.ts'
import { askYesNo } from '../../terminal/question.ts'
import { dollarsText, durationText } from '../../terminal/style.ts'

export interface AskFirst {
  /** Ask above these dollars and seconds. */
  above: { usd: number; seconds: number }
  limits: Limits
  /** Plans what will start; omits what can't be planned. */
  plan: (context: FlowContext) => Promise<readonly EstimatedPlan[]>
}

/** Throws InterruptedError unless the answer is yes. Does not ask about unknown amounts. */
export async function askFirst({ above, limits, plan }: AskFirst): Promise<void> {
  const never = new AbortController().signal
  const env = process.env
  const prices = await readChosenPrices()
  const plans = await plan({ emit: () => {}, env, drain: never, signal: never, now: () => new Date(), prices })
  const total = (unit: 'usd' | 'seconds') => plans.reduce((sum, { estimate }) => sum + (estimate[unit] ?? 0), 0)
  const left = limits.deadline === null ? Number.MAX_VALUE : (limits.deadline.getTime() - Date.now()) / 1000
  const usd = Math.min(total('usd'), limits.budget ?? Number.MAX_VALUE)
  const seconds = Math.min(total('seconds'), left)
  if (usd <= above.usd && seconds <= above.seconds) return
  const question = `This will take about ${dollarsText(usd)} and ${durationText(seconds * 1000)}. Continue?`
  const no = 'not started; --yes skips this question'
  if (!(await askYesNo(question, no))) throw new InterruptedError(no)
}

/** Asks a person before a benchmark that will be dear or long, by what earlier runs took; a script is never asked. */
import type { FlowContext } from '../flows/context.ts'
import type { Limits } from '../flows/limits.ts'
import type { Planned } from '../flows/plan_with_estimate.ts'
import { Interrupted } from './interrupt.ts'
import { confirmed } from './question.ts'
import { dollars, duration } from './style.ts'

export interface AskFirst {
  /** Dollars, and seconds, above which is asked. */
  above: { usd: number; seconds: number }
  limits: Limits
  /** Plans what will be started; what can't be planned is not among it. */
  plan: (context: FlowContext) => Promise<readonly Planned[]>
}

/** Whether somebody sits there who can answer. */
export function canAnswer(how: { json: boolean; yes: boolean }): boolean {
  const { CI = '' } = process.env
  return !how.json && !how.yes && (CI === '' || CI === 'false') && process.stdin.isTTY && process.stderr.isTTY
}

/** Throws Interrupted unless the answer is yes. What is not known is not asked about. */
export async function askFirst({ above, limits, plan }: AskFirst): Promise<void> {
  const never = new AbortController().signal
  const env = process.env
  const plans = await plan({ emit: () => {}, env, drain: never, signal: never, now: () => new Date() })
  const total = (unit: 'usd' | 'seconds') => plans.reduce((sum, { estimate }) => sum + (estimate[unit] ?? 0), 0)
  const left = limits.deadline === null ? Number.MAX_VALUE : (limits.deadline.getTime() - Date.now()) / 1000
  const usd = Math.min(total('usd'), limits.budget ?? Number.MAX_VALUE)
  const seconds = Math.min(total('seconds'), left)
  if (usd <= above.usd && seconds <= above.seconds) return
  const question = `This will take about ${dollars(usd)} and ${duration(seconds * 1000)}. Go on?`
  const no = 'not started; --yes asks nothing'
  if (!(await confirmed(question, no))) throw new Interrupted(no)
}

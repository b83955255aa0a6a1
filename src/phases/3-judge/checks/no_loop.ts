/** no_loop: the agent does not repeat the same call with the same input too often in a row. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { canonicalJson } from '../../../base/json/json.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText, unseenTools } from './inputs/evidence.ts'
import { formatCall, listCalls, type PlacedCall } from './inputs/tool_calls/calls.ts'

/** Only other calls end a row: what the agent says between two calls does not. */
export async function decideNoLoop(check: CheckOf<'no_loop'>, context: CheckContext): Promise<CheckVerdict> {
  const { max_repeats = 3 } = check
  const { first, times } = findLongestRow(await listCalls(context))
  const row = first === null ? 'no calls' : `${times} in a row, from ${formatCall(first)}`
  if (times > max_repeats) return { passed: false, evidence: capText(`${row}; wanted: at most ${max_repeats}`) }
  return context.showsTools ? { passed: true, evidence: capText(`longest row: ${row}`) } : unseenTools
}

function findLongestRow(calls: readonly PlacedCall[]): { first: PlacedCall | null; times: number } {
  let longest: { first: PlacedCall | null; times: number } = { first: null, times: 0 }
  let current = { key: '', times: 0, first: calls[0] ?? null }
  for (const one of calls) {
    const key = canonicalJson([one.call.name, one.call.input])
    current = key === current.key ? { ...current, times: current.times + 1 } : { key, times: 1, first: one }
    if (current.times > longest.times) longest = { first: current.first, times: current.times }
  }
  return longest
}

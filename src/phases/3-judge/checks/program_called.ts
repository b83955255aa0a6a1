/** program_called: the agent called a program of evals/bin, this many times. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { findMatchingGroups } from '../../../base/process/find_pattern.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText } from './inputs/evidence.ts'
import { isInRange, rangeText } from './inputs/range.ts'
import { describeUnfinished } from './results/search_limit.ts'

export async function decideProgramCalled(
  { program, args, times = { min: 1 } }: CheckOf<'program_called'>,
  context: CheckContext,
): Promise<CheckVerdict> {
  const recorded = await context.programCalls()
  if (recorded === null) return { error: 'the run has no record of calls: the suite had no evals/bin when it ran' }
  const calls = recorded
    .filter((call) => call.phase === 'agent' && call.program === program)
    .map((call) => call.args.join(' '))
  const found = args === undefined ? { lines: calls } : await matchLines(args, calls, context.signal)
  if ('error' in found) return found
  const [first] = found.lines
  const others =
    calls.length === 0 ? `${program} was not called` : `calls: ${calls.map((one) => `${program} ${one}`).join('; ')}`
  const said =
    first === undefined
      ? `no such call; ${others}`
      : `${found.lines.length} such ${found.lines.length === 1 ? 'call' : 'calls'}; ${program} ${first}`
  return isInRange(times, found.lines.length)
    ? { passed: true, evidence: capText(said) }
    : { passed: false, evidence: capText(`${said}; wanted: ${rangeText(times)}`) }
}

async function matchLines(
  pattern: string,
  lines: readonly string[],
  signal: AbortSignal,
): Promise<{ lines: string[] } | { error: string }> {
  const groups = lines.map((line) => [line])
  const end = await findMatchingGroups({ pattern }, groups, signal)
  if ('error' in end) return describeUnfinished(`the pattern /${capText(pattern, 120)}/`, end)
  return { lines: end.value.flatMap((index) => lines[index] ?? []) }
}

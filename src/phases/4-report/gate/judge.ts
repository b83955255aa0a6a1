/** Whether a benchmark passes its gates; what is not known does not pass. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { Gate, Limit, Operator } from './parse.ts'
import { valueAt } from './path.ts'

export interface GateResult {
  gate: string
  passed: boolean
  /** What was found at the path; null: nothing, or not a single value. */
  value: Limit
  /** One line for a person. */
  message: string
}

export function judgeGate(gate: Gate, benchmark: Benchmark): GateResult {
  const result = judgeValue(gate, valueAt(benchmark, gate.path), 'benchmark')
  return result.passed
    ? result
    : { ...result, message: `${result.message}${underLooks(gate, benchmark, result.value)}` }
}

/** The same of what was found at the gate's path; undefined: nothing. `what` it was looked for in. */
export function judgeValue(gate: Gate, found: unknown, what: string): GateResult {
  const value = isSingle(found) ? found : null
  const outcome = (passed: boolean, message: string): GateResult => ({ gate: gate.text, passed, value, message })
  if (found !== undefined && !isSingle(found)) return outcome(false, 'not a single value')
  if (found === undefined) return outcome(gate.operator === '==' && gate.limit === null, `not in this ${what}`)
  if (value === null && gate.limit !== null) return outcome(false, 'not known')
  if (value !== null && gate.limit !== null && typeof value !== typeof gate.limit) {
    return outcome(false, `is ${shown(value)}, a ${typeof value}, held against a ${typeof gate.limit}`)
  }
  return outcome(holds(gate.operator, value, gate.limit), `is ${shown(value)}`)
}

/**
 * An interval that holds at every look is far wider than the test, which may have decided; and what the looks ended has no
 * test for cases like these.
 */
function underLooks({ path }: Gate, { statistics }: Benchmark, value: Limit): string {
  if (!statistics?.until) return ''
  const at = path.join('.')
  if (/cases_like_these\.(verdict|difference\.p_)/.test(at))
    return '; with --until there is no verdict for cases like these'
  if (typeof value !== 'number' || !/these_cases\.difference\.ci_/.test(at)) return ''
  return '; with --until this interval holds at every look and is wide after few blocks: gate on the verdict'
}

function isSingle(value: unknown): value is Limit {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function shown(value: Limit): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(6))) : String(value)
}

function holds(operator: Operator, value: Limit, limit: Limit): boolean {
  switch (operator) {
    case '==':
      return value === limit
    case '!=':
      return value !== limit
    case '>':
      return Number(value) > Number(limit)
    case '>=':
      return Number(value) >= Number(limit)
    case '<':
      return Number(value) < Number(limit)
    case '<=':
      return Number(value) <= Number(limit)
  }
}

/** Whether a benchmark passes its gates; an unknown value does not pass, and nothing does if runs without a grade could decide. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import { findArms } from '../benchmark/arms.ts'
import { judgeFavours } from '../stats/scores/judge_corrections.ts'
import type { Gate, GateLimit, GateOperator } from './parse_gate.ts'
import { judgeWorth, readBenchmarkValue } from './parse_gate.ts'

export interface GateOutcome {
  gate: string
  passed: boolean
  /** The value at the path; null: none, or not a single value. */
  value: GateLimit
  message: string
}

export function judgeGate(gate: Gate, benchmark: Benchmark): GateOutcome {
  const result =
    gate.mostPerPoint === undefined
      ? judgeValue(gate, readBenchmarkValue(benchmark, gate.path), 'benchmark')
      : { gate: gate.text, ...judgeWorth(benchmark.statistics?.price, gate.mostPerPoint) }
  if (benchmark.statistics?.missing_grades)
    return {
      ...result,
      passed: false,
      message: `${result.message}; incomplete: runs without a grade, or repeated ones, could decide`,
    }
  if (benchmark.observational === true && readsComparison(gate))
    return { ...result, passed: false, message: `${result.message}; ${noComparisonReason}` }
  const older = benchmark.statistics?.older_runs
  if (older?.is_concurrent === false && readsOlderRuns(gate, benchmark, Object.keys(older.untested)))
    return { ...result, passed: false, message: `${result.message}; baseline not concurrent: ${older.reason}` }
  const favours = benchmark.audit?.favours
  if (favours && !isCorrected(gate, benchmark))
    return {
      ...result,
      passed: false,
      message: `${result.message}; not corrected: the judge favours ${favours.configuration}`,
    }
  return result.passed
    ? result
    : { ...result, message: `${result.message}${explainSequentialValue(gate, benchmark, result.value)}` }
}

/** Whether the value does not come from the verdicts of the judge alone, or is corrected for its errors. */
function isCorrected(gate: Gate, { statistics }: Benchmark): boolean {
  const [head, part, scope] = gate.path
  if (head === 'statistics' && part === 'scopes' && scope === 'these_cases')
    return statistics?.scopes?.these_cases.rule !== judgeFavours
  return !readsComparison(gate) && head !== 'run_summary'
}

export const noComparisonReason = 'recorded sessions are observational: they have no verdict and no test'

/** Whether the value compares the configurations, or judges the comparison. */
export function readsComparison({ path: [head, part], mostPerPoint }: Gate): boolean {
  if (mostPerPoint !== undefined) return true
  if (head === 'run_summary') return part === 'delta'
  return head === 'comparison' || (head === 'statistics' && comparedParts.has(part))
}

const comparedParts: ReadonlySet<unknown> = new Set([
  'scopes',
  'cases',
  'expectations',
  'comparisons',
  'mde',
  'until',
  'ratios',
])

/** `found`: the value at the gate's path; undefined: none. `what`: the kind of file, for the message. */
export function judgeValue(gate: Gate, found: unknown, what: string): GateOutcome {
  const value = isSingle(found) ? found : null
  const outcome = (passed: boolean, message: string): GateOutcome => ({ gate: gate.text, passed, value, message })
  if (found !== undefined && !isSingle(found)) return outcome(false, 'not a single value')
  if (found === undefined) return outcome(gate.operator === '==' && gate.limit === null, `not in this ${what}`)
  if (value === null && gate.limit !== null) return outcome(false, 'not known')
  if (value !== null && gate.limit !== null && typeof value !== typeof gate.limit) {
    return outcome(false, `is ${formatLimit(value)}, a ${typeof value}, compared with a ${typeof gate.limit}`)
  }
  return outcome(holds(gate.operator, value, gate.limit), `is ${formatLimit(value)}`)
}

/** Parts of the statistics with an entry for each configuration. */
const byConfiguration: ReadonlySet<unknown> = new Set(['arms', 'pass_at_k', 'pass_hat_k', 'activation'])

/** Whether the value depends on the results of these configurations. */
function readsOlderRuns({ path }: Gate, benchmark: Benchmark, configurations: readonly string[]): boolean {
  const [head, part, third] = path
  const { candidate, baseline } = findArms(benchmark)
  const isOlder = (name: unknown) =>
    configurations.some(
      (one) => name === one || (name === 'candidate' ? candidate : name === 'baseline' && baseline) === one,
    )
  switch (head) {
    case 'run_summary':
      return part === 'delta' || isOlder(part)
    case 'statistics':
      return byConfiguration.has(part) ? isOlder(third) : part !== 'older_runs' && part !== 'noise'
    case 'cases':
      return true
    default:
      return false
  }
}

/**
 * An interval that is valid at every interim analysis is far wider than the test, which may be conclusive. A benchmark with adaptive
 * stopping has no test for similar cases.
 */
function explainSequentialValue({ path }: Gate, { statistics }: Benchmark, value: GateLimit): string {
  if (!statistics?.until) return ''
  const at = path.join('.')
  if (/cases_like_these\.(verdict|difference\.p_)/.test(at))
    return '; with --until there is no verdict for similar cases'
  if (typeof value !== 'number' || !/these_cases\.difference\.ci_/.test(at)) return ''
  return '; with --until this interval is valid at every interim analysis and therefore wide after few blocks: use a gate on the verdict'
}

function isSingle(value: unknown): value is GateLimit {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function formatLimit(value: GateLimit): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(6))) : String(value)
}

function holds(operator: GateOperator, value: GateLimit, limit: GateLimit): boolean {
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

/** Gates on the command line: parsed before any paid call, evaluated on the benchmark, printed on one line each. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { type GateOutcome, judgeGate } from '../../phases/4-report/gate/check_gates.ts'
import { type Gate, parseGate } from '../../phases/4-report/gate/parse_gate.ts'
import { colours, toSafeLine } from '../terminal/style.ts'
import { parseReporters } from './reporters.ts'

/** The flags for a pipeline. Throws UserError for an invalid gate or reporter. */
export async function readPipeline(given: { gate: readonly string[]; failOn: readonly string[]; reporter: string[] }) {
  const gates = [...given.gate, ...given.failOn.flatMap(toFailureGates)].map((text) => parseGate(text))
  return { gates, reporters: await parseReporters(given.reporter) }
}

/** Verdicts that answer neither yes nor no. */
const nonAnswers = ['inconclusive', 'too_easy', 'too_hard', 'not_comparable', 'incomplete']

function toFailureGates(failure: string): string[] {
  if (failure === 'suspicious') return ['suspicious == 0']
  return (failure === 'inconclusive' ? nonAnswers : [failure]).map((verdict) => `verdict != ${verdict}`)
}

export function judgeGates(gates: readonly Gate[], benchmark: Benchmark): GateOutcome[] {
  return gates.map((gate) => judgeGate(gate, benchmark))
}

/** One line each, as printed below the table. */
export function gateLines(results: readonly GateOutcome[]): string[] {
  const { green, red } = colours(process.stdout)
  return results.map(({ gate, passed, message }) => {
    const mark = passed ? green('gate passed') : red('gate failed')
    return `${mark}: ${toSafeLine(gate)} (${toSafeLine(message)})`
  })
}

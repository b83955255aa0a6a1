/** Gates on the command line: read before anything is paid for, judged when the benchmark is there, one line each. */
import type { Benchmark } from '../../schemas/benchmark.ts'
import { type GateResult, judgeGate } from '../phases/4-report/gate/judge.ts'
import { type Gate, parseGate } from '../phases/4-report/gate/parse.ts'
import { colours, safe } from './style.ts'

/** Throws UserError for what is no gate. */
export function gatesOf(given: { gate: readonly string[]; failOn: readonly string[] }): Gate[] {
  return [...given.gate, ...given.failOn.map((verdict) => `verdict != ${verdict}`)].map((text) => parseGate(text))
}

export function judgeGates(gates: readonly Gate[], benchmark: Benchmark): GateResult[] {
  return gates.map((gate) => judgeGate(gate, benchmark))
}

/** One line each, as printed below the table. */
export function gateLines(results: readonly GateResult[], stream: NodeJS.WriteStream = process.stdout): string[] {
  const { green, red } = colours(stream)
  return results.map(({ gate, passed, message }) => {
    const mark = passed ? green('gate passed') : red('gate FAILED')
    return `${mark} ${safe(gate)}: ${safe(message)}`
  })
}

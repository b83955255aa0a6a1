/** The grammar of gates, `path op value`, checked against the schema of benchmark.json before anything is paid. */
import { UserError } from '../../../base/errors/error.ts'
import { findNearest } from '../../../base/text/did_you_mean.ts'
import { findUnknownStep, type PathStep, parsePathSteps } from './benchmark_path.ts'
import { benchmarkGateSubject, type GateSubject } from './gate_subject.ts'
import { parseWorthGate } from './worth_gate.ts'

/** What a value is compared with. */
export type GateLimit = string | number | boolean | null

const operators = ['>=', '<=', '==', '!=', '>', '<'] as const
export type GateOperator = (typeof operators)[number]

export interface Gate {
  /** As the user wrote it. */
  text: string
  path: PathStep[]
  operator: GateOperator
  limit: GateLimit
  /** Only of the gate `worth`: most dollars per run for each point; null: no limit was given. */
  mostPerPoint?: number | null
}

const form = /^\s*(?<path>[\w.[\]/ -]*?[\w\]])\s*(?<operator>>=|<=|==|!=|>|<)\s*(?<value>\S.*?)\s*$/s

/** Throws UserError for an invalid gate, a path that the file can't have, or an order operator on a value without an order. */
export function parseGate(text: string, of: GateSubject = benchmarkGateSubject): Gate {
  const worth = of === benchmarkGateSubject ? parseWorthGate(text) : null
  if (worth !== null) return worth
  const parts = form.exec(text)?.groups
  const operator = operators.find((one) => one === parts?.operator)
  if (parts === undefined || operator === undefined) {
    throw new UserError(
      `--gate ${JSON.stringify(text)}: expected the form "<name> <operator> <value>"`,
      suggestOperator(text) ?? of.example,
    )
  }
  const { path: written = '', value = '' } = parts
  const path = parsePathSteps(of.shortNames[written] ?? written)
  const unknown = findUnknownStep(path, of)
  if (unknown !== null)
    throw new UserError(
      `--gate ${JSON.stringify(text)}: ${unknown.message}`,
      suggestGateFix(written, unknown, of.shortNames),
    )
  const limit = parseLimit(value, text)
  if (typeof limit !== 'number' && operator !== '==' && operator !== '!=') {
    throw new UserError(
      `--gate ${JSON.stringify(text)}: ${operator} needs a number, got ${JSON.stringify(value)}`,
      of.example,
    )
  }
  return { text: text.trim(), path, operator, limit }
}

/** Operators of other languages, and what gates have. */
const operatorSlips: readonly [slip: RegExp, operator: GateOperator][] = [
  [/=>/, '>='],
  [/=</, '<='],
  [/===/, '=='],
  [/!==|<>/, '!='],
  [/[≥]/, '>='],
  [/[≤]/, '<='],
  [/(?<![=<>!])=(?![=<>])/, '=='],
]

function suggestOperator(text: string): string | null {
  const [slip, operator] = operatorSlips.find(([one]) => one.test(text)) ?? []
  return slip === undefined ? null : `did you mean "${text.replace(slip, operator ?? '')}"?`
}

function suggestGateFix(
  written: string,
  { name, known }: { name: string; known: string[] },
  shortNames: GateSubject['shortNames'],
): string {
  const short = Object.keys(shortNames)
  const near = [...new Set([...findNearest(written, short), ...findNearest(name, known)])]
  if (near.length > 0) return `did you mean ${near.map((one) => `"${one}"`).join(' or ')}?`
  return `expected one of ${known.join(', ') || 'nothing'}; short names: ${short.join(', ')}`
}

function parseLimit(value: string, text: string): GateLimit {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)) return Number(value)
  if (/^[+-]?(\d+\.?\d*|\.\d+)%$/.test(value)) return Number(value.slice(0, -1)) / 100
  if (value === 'true' || value === 'false') return value === 'true'
  if (value === 'null') return null
  const quoted = /^(["'])(?<inner>.*)\1$/s.exec(value)?.groups?.inner
  if (quoted !== undefined) return quoted
  if (/^[\w:./-]+$/.test(value)) return value
  throw new UserError(
    `--gate ${JSON.stringify(text)}: invalid value ${JSON.stringify(value)}`,
    suggestOperator(text) ?? 'expected a number, a word, "quoted text", true, false or null',
  )
}

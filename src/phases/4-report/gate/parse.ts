/** The grammar of gates: `path op value`, checked against the schema of benchmark.json before anything is paid for. */
import { UserError } from '../../../base/error.ts'
import { nearest } from '../../../base/nearest.ts'
import { type Step, steps, unknownStep } from './path.ts'
import { type GateSubject, ofBenchmark } from './subject.ts'

/** What a value is held against. */
export type Limit = string | number | boolean | null

const operators = ['>=', '<=', '==', '!=', '>', '<'] as const
export type Operator = (typeof operators)[number]

export interface Gate {
  /** As it was written. */
  text: string
  path: Step[]
  operator: Operator
  limit: Limit
}

const form = /^\s*(?<path>[\w.[\]/ -]*?[\w\]])\s*(?<operator>>=|<=|==|!=|>|<)\s*(?<value>\S.*?)\s*$/s

/** Throws UserError for what is no gate, a path that the file can't have, or an order of what has none. */
export function parseGate(text: string, of: GateSubject = ofBenchmark): Gate {
  const parts = form.exec(text)?.groups
  const operator = operators.find((one) => one === parts?.operator)
  if (parts === undefined || operator === undefined) {
    throw new UserError(`--gate ${JSON.stringify(text)}: not of the form path op value`, of.example)
  }
  const { path: written = '', value = '' } = parts
  const path = steps(of.shortNames[written] ?? written)
  const unknown = unknownStep(path, of)
  if (unknown !== null)
    throw new UserError(`--gate ${JSON.stringify(text)}: ${unknown.message}`, fixOf(written, unknown, of.shortNames))
  const limit = limitOf(value, text)
  if (typeof limit !== 'number' && operator !== '==' && operator !== '!=') {
    throw new UserError(`--gate ${JSON.stringify(text)}: ${operator} needs a number, not ${value}`, of.example)
  }
  return { text: text.trim(), path, operator, limit }
}

function fixOf(
  written: string,
  { name, known }: { name: string; known: string[] },
  shortNames: GateSubject['shortNames'],
): string {
  const near = nearest(name, known)
  const short = nearest(written, Object.keys(shortNames))
  const meant = [...short, ...near]
  if (meant.length > 0) return `did you mean ${meant.join(' or ')}?`
  return `there are ${known.join(', ') || 'none'}; short names: ${Object.keys(shortNames).join(', ')}`
}

function limitOf(value: string, text: string): Limit {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)) return Number(value)
  if (/^[+-]?(\d+\.?\d*|\.\d+)%$/.test(value)) return Number(value.slice(0, -1)) / 100
  if (value === 'true' || value === 'false') return value === 'true'
  if (value === 'null') return null
  const quoted = /^(["'])(?<inner>.*)\1$/s.exec(value)?.groups?.inner
  if (quoted !== undefined) return quoted
  if (/^[\w:./-]+$/.test(value)) return value
  throw new UserError(
    `--gate ${JSON.stringify(text)}: ${value} is no value`,
    'a number, a word, "quoted text", true, false or null',
  )
}

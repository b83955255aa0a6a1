/** The grammar of gates: `path op value`, checked against the schema of benchmark.json before anything is paid for. */
import { UserError } from '../../../base/error.ts'
import { nearest } from '../../../base/nearest.ts'
import { type Step, steps, unknownStep } from './path.ts'
import { shortNames } from './short_names.ts'

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

/** Throws UserError for what is no gate, a path that benchmark.json can't have, or an order of what has none. */
export function parseGate(text: string): Gate {
  const parts = form.exec(text)?.groups
  const operator = operators.find((one) => one === parts?.operator)
  if (parts === undefined || operator === undefined) {
    throw new UserError(`--gate ${JSON.stringify(text)}: not of the form path op value`, example)
  }
  const { path: written = '', value = '' } = parts
  const path = steps(shortNames[written] ?? written)
  const unknown = unknownStep(path)
  if (unknown !== null)
    throw new UserError(`--gate ${JSON.stringify(text)}: ${unknown.message}`, fixOf(written, unknown))
  const limit = limitOf(value, text)
  if (typeof limit !== 'number' && operator !== '==' && operator !== '!=') {
    throw new UserError(`--gate ${JSON.stringify(text)}: ${operator} needs a number, not ${value}`, example)
  }
  return { text: text.trim(), path, operator, limit }
}

const example = 'such as --gate "ci_low > 0", --gate "cost.agent_usd <= 5" or --gate "verdict == helps"'

function fixOf(written: string, { name, known }: { name: string; known: string[] }): string {
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

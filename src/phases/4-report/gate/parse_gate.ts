/** The grammar of gates, `path op value` or `worth`, checked against the schema of benchmark.json before anything is paid. */
import * as z from 'zod'
import { type Benchmark, benchmark } from '../../../../schemas/benchmark.ts'
import type { Price } from '../../../../schemas/price.ts'
import { UserError } from '../../../base/errors/error.ts'
import { findNearest } from '../../../base/text/did_you_mean.ts'
import { findArms } from '../benchmark/arms.ts'
import { formatAmount } from '../stats/price/price_sentence.ts'

export type GateLimit = string | number | boolean | null

const operators = ['>=', '<=', '==', '!=', '>', '<'] as const
export type GateOperator = (typeof operators)[number]

export interface Gate {
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

const scope = (name: string, prefix: string) => ({
  [`${prefix}verdict`]: `statistics.scopes.${name}.verdict`,
  [`${prefix}difference`]: `statistics.scopes.${name}.difference.mean`,
  [`${prefix}ci_low`]: `statistics.scopes.${name}.difference.ci_low`,
  [`${prefix}ci_high`]: `statistics.scopes.${name}.difference.ci_high`,
  [`${prefix}p_value`]: `statistics.scopes.${name}.difference.p_value`,
})

export const shortNames: Readonly<Record<string, string>> = {
  ...scope('these_cases', ''),
  ...scope('cases_like_these', 'like_these.'),
  pass_rate: 'run_summary.candidate.pass_rate.mean',
  baseline_pass_rate: 'run_summary.baseline.pass_rate.mean',
  time_ratio: 'statistics.ratios.time_seconds.ratio',
  tokens_ratio: 'statistics.ratios.tokens.ratio',
  cost_ratio: 'statistics.ratios.cost_usd.ratio',
  price_verdict: 'statistics.price.verdict',
  cost: 'cost.agent_usd',
  suspicious: 'injection_attempts.runs',
}

export interface GateSubject {
  file: string
  schema: z.ZodType
  shortNames: Readonly<Record<string, string>>
  example: string
}

export const benchmarkGateSubject: GateSubject = {
  file: 'benchmark.json',
  schema: benchmark,
  shortNames,
  example: 'such as --gate "ci_low > 0", --gate "cost.agent_usd <= 5" or --gate "verdict == helps"',
}

const worthForm = /^\s*worth\s*(?:<=\s*\$?(?<limit>\d+\.?\d*|\.\d+)(?:\s+per\s+point)?\s*)?$/

/** `worth`, or `worth <= 0.05` dollars per point. null: another gate. Throws UserError for a `worth` that is neither. */
function parseWorthGate(text: string) {
  if (!/^\s*worth(?![\w.])/.test(text)) return null
  const found = worthForm.exec(text)
  if (found === null)
    throw new UserError(
      `--gate ${JSON.stringify(text)}: worth takes no value but a limit`,
      'use --gate worth, or --gate "worth <= 0.05": at most 0.05 dollars more per run for each point',
    )
  const limit = found.groups?.limit
  const path = ['statistics', 'price', 'verdict']
  return {
    text: text.trim(),
    path,
    operator: '==' as const,
    limit: 'better',
    mostPerPoint: limit === undefined ? null : Number(limit),
  }
}

/** Passes on `better` and `as_good_and_cheaper`. With a limit also where a higher rate costs at most that much for each point. */
export function judgeWorth(
  price: Price | undefined,
  mostPerPoint: number | null,
): { passed: boolean; message: string; value: string | null } {
  if (price === undefined) return { passed: false, value: null, message: 'not in this benchmark' }
  const { verdict, per_point: point, unit, tests, rule } = price
  const value = verdict
  if (verdict === 'better' || verdict === 'as_good_and_cheaper')
    return { passed: true, value, message: `is ${verdict}` }
  if (tests.length === 0) return { passed: false, value, message: `no verdict: ${rule}` }
  // worse has no price per point: the rate is not higher
  if (point === null) return { passed: false, value, message: `is ${verdict}` }
  const most = `each further point costs at most ${formatAmount(point.at_most, unit)}`
  if (mostPerPoint === null)
    return { passed: false, value, message: `is ${verdict}; ${most}: accept it with "worth <= …"` }
  if (unit !== 'cost_usd')
    return { passed: false, value, message: `is ${verdict}; the price is in tokens, and the limit in dollars` }
  return { passed: point.at_most <= mostPerPoint, value, message: `is ${verdict}; ${most}` }
}

export type PathStep = string | number

/** Steps of `a.b[2].c`; `[name with.dots]` is one step. */
export function parsePathSteps(path: string): PathStep[] {
  return [...path.matchAll(/\[(?<index>\d+)\]|\[(?<name>[^\]]+)\]|(?<plain>[^.[\]]+)/g)].map(({ groups }) =>
    groups?.index === undefined ? (groups?.name ?? groups?.plain ?? '').trim() : Number(groups.index),
  )
}

interface Unknown {
  message: string
  name: string
  known: string[]
}

interface JsonSchema {
  properties?: Record<string, JsonSchema>
  additionalProperties?: JsonSchema | boolean
  items?: JsonSchema
  anyOf?: JsonSchema[]
}

/** The first step that a file of this schema can't have; null: every step is possible. */
export function findUnknownStep(
  path: readonly PathStep[],
  { file, schema }: { file: string; schema: z.ZodType },
): Unknown | null {
  let places: JsonSchema[] = [z.toJSONSchema(schema, { io: 'output' }) as JsonSchema]
  for (const [at, step] of path.entries()) {
    const next = places.flatMap((place) => followStep(place, step))
    if (next.length === 0) {
      const known = [...new Set(places.flatMap(alternatives).flatMap((place) => Object.keys(place.properties ?? {})))]
      const where = at === 0 ? file : path.slice(0, at).join('.')
      return { message: `${where} has no ${JSON.stringify(step)}`, name: String(step), known }
    }
    places = next
  }
  return null
}

function alternatives(place: JsonSchema): JsonSchema[] {
  return place.anyOf === undefined ? [place] : place.anyOf.flatMap(alternatives)
}

function followStep(place: JsonSchema, step: PathStep): JsonSchema[] {
  return alternatives(place).flatMap(({ properties, additionalProperties, items }) => {
    if (typeof step === 'number') return items ?? []
    const named = properties?.[step]
    if (named !== undefined) return named
    // an object open to anything ({}) may have other keys, but an undeclared one is usually a typing mistake
    const isTyped = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
    return isTyped ? additionalProperties : []
  })
}

/** The value at the path in a benchmark, whose configurations may be called candidate and baseline. */
export function readBenchmarkValue(made: Benchmark, path: readonly PathStep[]): unknown {
  const { candidate, baseline } = findArms(made)
  const names: Record<string, string | null> = { candidate, baseline }
  return path.reduce<unknown>((value, step, at) => {
    if (value === null || typeof value !== 'object') return undefined
    const isArm = path[at - 1] === 'run_summary' || path[at - 1] === 'arms'
    const name = isArm && typeof step === 'string' ? (names[step] ?? step) : step
    return Object.hasOwn(value, name) ? Object.entries(value).find(([key]) => key === String(name))?.[1] : undefined
  }, made)
}

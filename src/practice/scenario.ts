/** The scenario file of the practice model: its schema, and loading it with errors that name line and field. */
import { isMap, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { UserError } from '../base/error.ts'
import { readText } from '../base/json.ts'
import { delay } from './delay.ts'
import { globalFault, ruleFault } from './fault.ts'
import { limits } from './limits.ts'
import { pattern } from './pattern.ts'
import { choose, isObject, strict } from './strict.ts'
import { template } from './template.ts'
import { eachOf, value } from './value.ts'

/** One regex or several, all of which must fit. */
const patterns = choose((given) => (Array.isArray(given) ? z.array(pattern) : pattern.transform((one) => [one])))

const whole = z.number().int().min(0)

const turn = choose((given) => {
  if (isObject(given)) return strict({ min: whole.default(1), max: whole.default(Number.MAX_SAFE_INTEGER) })
  return whole.transform((one) => ({ min: one, max: one }))
})

const seed = choose((given) => {
  if (isObject(given)) return strict({ mod: z.number().int().min(1), in: z.array(whole) })
  const numbers = Array.isArray(given) ? z.array(whole) : whole.transform((one) => [one])
  return numbers.transform((list) => ({ mod: Number.MAX_SAFE_INTEGER, in: list }))
})

const when = strict({
  system: patterns.optional(),
  user: patterns.optional(),
  last: patterns.optional(),
  result: patterns.optional(),
  result_of: pattern.optional(),
  result_error: z.boolean().optional(),
  called: patterns.optional(),
  not_called: patterns.optional(),
  turn: turn.optional(),
  tool: patterns.optional(),
  no_tool: patterns.optional(),
  model: patterns.optional(),
  seed: seed.optional(),
  chance: z.number().min(0).max(1).optional(),
})

export type When = z.output<typeof when>

const names = choose((given) => (Array.isArray(given) ? z.array(template) : template.transform((one) => [one])))

/** One tool call; several names: the first that the request offers. */
const call = strict({ name: names, input: value.default({ kind: 'object', fields: {} }) })

const callOrEach = choose((given) => {
  const single = call.transform((one) => ({ kind: 'one' as const, call: one }))
  const many = strict({ $each: eachOf(call) }).transform(({ $each }) => ({ kind: 'each' as const, each: $each }))
  return isObject(given) && '$each' in given ? many : single
})

const stopReasons = ['end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'pause_turn', 'refusal'] as const

const tokenCounts = strict({
  cache_read: whole.default(0),
  cache_write: whole.default(0),
  reasoning: whole.default(0),
})

const answer = strict({
  thinking: template.optional(),
  text: template.optional(),
  tool_calls: choose((given) => {
    return Array.isArray(given) ? z.array(callOrEach) : callOrEach.transform((one) => [one])
  }).optional(),
  stop_reason: z.enum(stopReasons).optional(),
  usage: tokenCounts.optional(),
})

export type Call = z.output<typeof call>
export type Answer = z.output<typeof answer>

const rule = strict({
  name: z.string({ error: 'must be a name' }).min(1),
  when: when.default({}),
  fault: ruleFault.optional(),
  latency: delay.optional(),
  answer: answer.optional(),
  ...answer.shape,
}).transform(({ thinking, text, tool_calls, stop_reason, usage, ...rest }, context) => {
  const given = { thinking, text, tool_calls, stop_reason, usage }
  const isBare = Object.values(given).every((one) => one === undefined)
  const wrong = (message: string) => {
    // an unknown key has been told already, and is most likely the reason
    if (context.issues.length === 0) context.issues.push({ code: 'custom', message, input: rest })
  }
  if (!isBare && rest.answer) wrong('answers in two places: in the rule and under answer')
  if (isBare && !rest.answer && !rest.fault) wrong('needs text, tool_calls or a fault')
  return isBare ? rest : { ...rest, answer: given }
})

export type Rule = z.output<typeof rule>

const scenario = strict({
  schema_version: z.literal(1).default(1),
  rules: z.array(rule, { error: 'must be a list of rules' }).superRefine(noSameNames),
  seed: z.union([z.number(), z.string()]).default(0),
  models: z.array(z.string().min(1)).min(1).optional(),
  require_key: z.array(z.string().min(1)).min(1).optional(),
  faults: z.array(globalFault).default([]),
  latency: delay.optional(),
  max_in_flight: z.number().int().min(1).optional(),
  limits: limits.default([]),
})

/** A scenario ready for use: regexes and templates compiled. */
export type Scenario = z.output<typeof scenario>

function noSameNames(rules: readonly Rule[], context: z.RefinementCtx): void {
  for (const [index, { name }] of rules.entries()) {
    if (rules.findIndex((one) => one.name === name) < index) {
      context.addIssue({ code: 'custom', message: `another rule is named "${name}"`, path: [index, 'name'] })
    }
  }
}

/** Reads and checks a scenario file. Throws UserError with file, line and field. */
export async function loadScenario(file: string): Promise<Scenario> {
  return parseScenario(await readText(file), file)
}

/** Checks a scenario's text; `file` is named in errors. Throws UserError with line and field. */
export function parseScenario(text: string, file: string): Scenario {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [mistake] = document.errors
  if (mistake) throw new UserError(`${file}:${lines.linePos(mistake.pos[0]).line}: not valid YAML: ${mistake.message}`)
  const result = scenario.safeParse(document.toJS())
  if (result.success) return result.data
  const told = result.error.issues.slice(0, 5).map(({ path, message }) => {
    const at = offsetOf(document, path)
    const line = at === null ? '' : `:${lines.linePos(at).line}`
    return `${file}${line}: ${fieldOf(path)}: ${message}`
  })
  throw new UserError(told.join('\n'), 'docs/practice.md describes every field of a scenario')
}

/** Where the value at this path begins in the text; of its nearest parent when it is not there itself. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: readonly PropertyKey[]): number | null {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = document.getIn(path.slice(0, length - 1), true)
    const key = path[length - 1]
    const pair = isMap(parent) ? parent.items.find((one) => String(one.key) === String(key)) : undefined
    const node: unknown = pair ? pair.key : document.getIn(path.slice(0, length), true)
    if (isObject(node) && Array.isArray(node.range)) return Number(node.range[0])
  }
  return null
}

/** rules[2].when.user */
function fieldOf(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((at, key) => at + (typeof key === 'number' ? `[${key}]` : `.${String(key)}`), '')
  return text.replace(/^\./, '') || 'the scenario'
}

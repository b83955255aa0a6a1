/** Loads the scenario file of the practice model and checks its schema; errors name line and field. */
import * as z from 'zod'
import { UserError } from '../../../base/errors/error.ts'
import { readText } from '../../../base/json/json.ts'
import { isRecord } from '../../../base/json/json_text.ts'
import { parseYamlFile } from '../../../base/text/yaml.ts'
import { delaySchema } from './delay.ts'
import { globalFault, ruleFault } from './fault.ts'
import { patternSchema } from './pattern.ts'
import { limitsSchema } from './request_limits.ts'
import { chooseSchema, strictObject } from './strict_schema.ts'
import { templateSchema } from './template.ts'
import { eachSchema, valueSchema } from './value.ts'

/** One regex or several, all of which must match. */
const patterns = chooseSchema((given) =>
  Array.isArray(given) ? z.array(patternSchema) : patternSchema.transform((one) => [one]),
)

const whole = z.number().int().min(0)

const turn = chooseSchema((given) => {
  if (isRecord(given)) return strictObject({ min: whole.default(1), max: whole.default(Number.MAX_SAFE_INTEGER) })
  return whole.transform((one) => ({ min: one, max: one }))
})

const seed = chooseSchema((given) => {
  if (isRecord(given)) return strictObject({ mod: z.number().int().min(1), in: z.array(whole) })
  const numbers = Array.isArray(given) ? z.array(whole) : whole.transform((one) => [one])
  return numbers.transform((list) => ({ mod: Number.MAX_SAFE_INTEGER, in: list }))
})

const when = strictObject({
  system: patterns.optional(),
  user: patterns.optional(),
  last: patterns.optional(),
  result: patterns.optional(),
  result_of: patternSchema.optional(),
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

export type RuleCondition = z.output<typeof when>

const names = chooseSchema((given) =>
  Array.isArray(given) ? z.array(templateSchema) : templateSchema.transform((one) => [one]),
)

/** One tool call; with several names, the first that the request offers. */
const call = strictObject({ name: names, input: valueSchema.default({ kind: 'object', fields: {} }) })

const callOrEach = chooseSchema((given) => {
  const single = call.transform((one) => ({ kind: 'one' as const, call: one }))
  const many = strictObject({ $each: eachSchema(call) }).transform(({ $each }) => ({
    kind: 'each' as const,
    each: $each,
  }))
  return isRecord(given) && '$each' in given ? many : single
})

const stopReasons = ['end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'pause_turn', 'refusal'] as const

const tokenCounts = strictObject({
  cache_read: whole.default(0),
  cache_write: whole.default(0),
  reasoning: whole.default(0),
})

const answer = strictObject({
  thinking: templateSchema.optional(),
  text: templateSchema.optional(),
  tool_calls: chooseSchema((given) => {
    return Array.isArray(given) ? z.array(callOrEach) : callOrEach.transform((one) => [one])
  }).optional(),
  stop_reason: z.enum(stopReasons).optional(),
  usage: tokenCounts.optional(),
})

export type ScenarioCall = z.output<typeof call>
export type RuleAnswer = z.output<typeof answer>

const rule = strictObject({
  name: z.string({ error: 'must be a name' }).min(1),
  when: when.default({}),
  fault: ruleFault.optional(),
  latency: delaySchema.optional(),
  answer: answer.optional(),
  ...answer.shape,
}).transform(({ thinking, text, tool_calls, stop_reason, usage, ...rest }, context) => {
  const given = { thinking, text, tool_calls, stop_reason, usage }
  const isBare = Object.values(given).every((one) => one === undefined)
  const wrong = (message: string) => {
    // an unknown key is already reported, and most likely the reason
    if (context.issues.length === 0) context.issues.push({ code: 'custom', message, input: rest })
  }
  if (!isBare && rest.answer) wrong('answers in two places: in the rule and under answer')
  if (isBare && !rest.answer && !rest.fault) wrong('needs text, tool_calls or a fault')
  return isBare ? rest : { ...rest, answer: given }
})

export type ScenarioRule = z.output<typeof rule>

const scenario = strictObject({
  schema_version: z.literal(1).default(1),
  rules: z.array(rule, { error: 'must be a list of rules' }).superRefine(noSameNames),
  seed: z.union([z.number(), z.string()]).default(0),
  models: z.array(z.string().min(1)).min(1).optional(),
  require_key: z.array(z.string().min(1)).min(1).optional(),
  faults: z.array(globalFault).default([]),
  latency: delaySchema.optional(),
  max_in_flight: z.number().int().min(1).optional(),
  limits: limitsSchema.default([]),
  batches: strictObject({ polls: whole.default(1), ms: whole.default(0), expired: whole.default(0) }).optional(),
})

/** A scenario ready for use: regexes and templates are compiled. */
export type Scenario = z.output<typeof scenario>

function noSameNames(rules: readonly ScenarioRule[], context: z.RefinementCtx): void {
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

/** Checks a scenario's text; `file` appears in errors. Throws UserError with line and field. */
export function parseScenario(text: string, file: string): Scenario {
  const yaml = parseYamlFile(text, file)
  const result = scenario.safeParse(yaml.value)
  if (result.success) return result.data
  const told = result.error.issues.slice(0, 5).map(({ path, message }) => {
    return `${file}:${yaml.at(path).line}: ${fieldPath(path)}: ${message}`
  })
  throw new UserError(told.join('\n'), 'see docs/reference/practice.md for every field of a scenario')
}

/** Such as rules[2].when.user. */
function fieldPath(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((at, key) => at + (typeof key === 'number' ? `[${key}]` : `.${String(key)}`), '')
  return text.replace(/^\./, '') || 'the scenario'
}

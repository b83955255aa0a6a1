/** The scenario: a YAML file that says what the practice model answers, rule by rule. */
import { LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { UserError } from '../base/error.ts'
import { jsonPath, readText } from '../base/json.ts'
import { nearest } from '../base/nearest.ts'

const pattern = z
  .string()
  .min(1)
  .transform((source, context) => {
    try {
      return new RegExp(source, 'm')
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'not a regular expression' })
      return z.NEVER
    }
  })

const latency = z.union([
  z.number().nonnegative(),
  z.strictObject({ uniform: z.tuple([z.number().nonnegative(), z.number().nonnegative()]) }),
  z.strictObject({ lognormal: z.strictObject({ median: z.number().positive(), sigma: z.number().nonnegative() }) }),
])

const faultKind = z.enum(['cut', 'malformed', 'hang'])
const fault = z.strictObject({
  status: z.number().int().min(400).max(599).optional().describe('answer with this HTTP error'),
  kind: faultKind.optional().describe('cut: the stream ends half way; malformed: not JSON; hang: never answers'),
  retry_after: z.number().nonnegative().optional().describe('seconds, sent as Retry-After'),
  every: z.number().int().positive().optional().describe('each Nth request'),
  first: z.number().int().positive().optional().describe('the first N requests'),
  after: z.number().int().nonnegative().optional().describe('every request after the first N'),
})

const seed = z.union([
  z.array(z.number().int()),
  z.strictObject({ mod: z.number().int().positive(), in: z.array(z.number().int()) }),
])

const when = z.strictObject({
  system: pattern.optional(),
  user: pattern.optional().describe('the first user text of the conversation'),
  last: pattern.optional().describe('the last message: user text or tool results'),
  result: pattern.optional().describe('some tool result so far'),
  result_of: z.string().optional().describe('restricts result and result_error to results of this tool'),
  result_error: z.boolean().optional().describe('whether the last tool result is an error'),
  called: pattern.optional().describe('some call so far, written as Name {json input}'),
  not_called: pattern.optional(),
  turn: z
    .union([z.number().int(), z.strictObject({ min: z.number().int().optional(), max: z.number().int().optional() })])
    .optional(),
  tool: pattern.optional().describe('some offered tool has such a name'),
  no_tool: pattern.optional(),
  model: pattern.optional(),
  chance: z.number().min(0).max(1).optional().describe("by the conversation's seed"),
  seed: seed.optional(),
})

const toolCall = z.strictObject({
  name: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .describe('a template, or the first of these that is offered'),
  input: z.record(z.string(), z.json()),
})

const each = z.strictObject({ in: z.string(), match: pattern, as: z.json() })

const rule = z.strictObject({
  name: z.string().min(1),
  when: when.optional(),
  text: z.string().optional().describe('what the model says: a handlebars template'),
  tool_calls: z.union([z.array(toolCall), z.strictObject({ $each: each.extend({ as: toolCall }) })]).optional(),
  stop_reason: z.string().optional(),
  fault: fault.optional(),
  latency: latency.optional(),
})

export const scenarioSchema = z.strictObject({
  schema_version: z.literal(1),
  seed: z.number().int().optional(),
  models: z.array(z.string()).optional().describe('model ids that exist; any if absent'),
  keys: z.array(z.string()).optional().describe('accepted API keys; any if absent'),
  max_in_flight: z.number().int().positive().optional().describe('more requests at once get 429'),
  latency: latency.optional().describe('milliseconds'),
  faults: z.array(fault).optional(),
  rules: z.array(rule).min(1),
})

export type Scenario = z.infer<typeof scenarioSchema>
export type Rule = Scenario['rules'][number]
export type When = NonNullable<Rule['when']>
export type Fault = z.infer<typeof fault>
export type Latency = z.infer<typeof latency>
export type ToolCallRule = z.infer<typeof toolCall>

/** Reads and checks a scenario file. Throws UserError with file, line and field. */
export async function loadScenario(file: string): Promise<Scenario> {
  return parseScenario(await readText(file), file)
}

/** Checks a scenario's text; `file` is its name in errors. */
export function parseScenario(text: string, file: string): Scenario {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const broken = document.errors[0]
  if (broken) throw new UserError(`${file}:${lines.linePos(broken.pos[0]).line}: ${broken.message.split('\n')[0]}`)
  const result = scenarioSchema.safeParse(document.toJS())
  if (result.success) return result.data
  const found = result.error.issues.slice(0, 5).map((issue) => {
    const node = document.getIn(issue.path, true)
    const range =
      node && typeof node === 'object' && 'range' in node && Array.isArray(node.range) ? Number(node.range[0]) : 0
    const hint = issue.code === 'unrecognized_keys' ? suggestion(issue.keys) : ''
    return `${file}:${lines.linePos(range).line}: ${jsonPath(issue.path)}: ${issue.message}${hint}`
  })
  throw new UserError(found.join('\n'), 'the format is described in docs/practice.md')
}

const known = [
  ...Object.keys(scenarioSchema.shape),
  ...Object.keys(rule.shape),
  ...Object.keys(when.shape),
  ...Object.keys(fault.shape),
]

function suggestion(keys: readonly string[]): string {
  const near = keys.flatMap((key) => nearest(key, known).slice(0, 1))
  return near.length > 0 ? ` (did you mean ${near.join(', ')}?)` : ''
}

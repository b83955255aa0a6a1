/** Reads requests of the Responses API and translates their input items into messages. */
import * as z from 'zod'
import { type Block, findBodyMistake, type Message, type OfferedTool, type ReadDialogue } from '../dialogue.ts'
import {
  contentSchema,
  formatSchema,
  joinMessages,
  parseCallArguments,
  resultBlock,
  structuredTools,
  textOfContent,
} from './openai_items.ts'

/** Only fields in use are typed; unknown items and fields pass. */
const item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: contentSchema.nullish().catch(undefined),
  call_id: z.string().nullish(),
  name: z.string().optional(),
  arguments: z.unknown().optional(),
  input: z.unknown().optional(),
  action: z.unknown().optional(),
  output: z.unknown().optional(),
  tools: z.unknown().optional(),
})

type Item = z.infer<typeof item>

const tool = z.looseObject({ type: z.string(), name: z.string().optional(), tools: z.unknown().optional() })

const request = z.looseObject({
  model: z.string().min(1),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(item)], { error: 'must be a string or a list of items' }),
  tools: z.array(tool).nullish(),
  text: z.looseObject({ format: formatSchema.optional() }).nullish(),
  stream: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
})

/** The request, or why the API would refuse it. */
export function readResponses(body: unknown): ReadDialogue {
  const result = request.safeParse(body)
  if (!result.success) return { ok: false, why: findBodyMistake(result.error) }
  const { model, instructions, input, tools, text, stream, previous_response_id: previous } = result.data
  if (previous) return { ok: false, why: `Previous response with id '${previous}' not found.` }
  const items: readonly Item[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const why = items.length === 0 ? 'input: must not be empty' : findUnpairedItem(items)
  if (why !== null) return { ok: false, why }
  const offered = [
    ...(tools ?? []).flatMap((one) => toOfferedTools(one)),
    ...items.flatMap(foundTools),
    ...structuredTools(text?.format),
  ]
  const messages = joinMessages(items.flatMap(readItemMessages))
  return {
    ok: true,
    request: { model, system: instructions ?? '', messages, tools: offered, stream: stream === true },
  }
}

const special = ['custom', 'local_shell', 'tool_search'] as const

function foundTools({ type, tools }: Item): OfferedTool[] {
  const found = type === 'tool_search_output' ? z.array(tool).safeParse(tools) : null
  return found?.success ? found.data.flatMap((one) => toOfferedTools(one)) : []
}

/** A tool of any type; the tools of a namespace are listed one by one. A tool without a name is named by its type. */
function toOfferedTools(given: z.infer<typeof tool>, namespace?: string): OfferedTool[] {
  const inner = z.array(tool).safeParse(given.tools)
  if (given.type === 'namespace' && inner.success) return inner.data.flatMap((one) => toOfferedTools(one, given.name))
  const kind = special.find((one) => one === given.type) ?? 'function'
  return [{ name: given.name ?? given.type, kind, namespace }]
}

const isCall = ({ type }: Item) => /^(function|custom_tool|local_shell|tool_search)_call$/.test(type ?? '')
const isOutput = ({ type }: Item) =>
  /^(?:(?:function|custom_tool|local_shell)_call|tool_search)_output$/.test(type ?? '')

function findUnpairedItem(items: readonly Item[]): string | null {
  const calls = items.filter(isCall).map(({ call_id: id }) => id ?? '')
  const outputs = items.filter(isOutput).map(({ call_id: id }) => id ?? '')
  const open = calls.find((id) => !outputs.includes(id))
  if (open !== undefined) return `No tool output found for function call ${open}.`
  const stray = outputs.find((id) => !calls.includes(id))
  return stray === undefined ? null : `No tool call found for function call output with call_id ${stray}.`
}

function readItemMessages(given: Item): { role: Message['role']; blocks: Block[] }[] {
  const id = given.call_id ?? ''
  if (isCall(given)) {
    const name = given.name ?? (given.type === 'tool_search_call' ? 'tool_search' : 'local_shell')
    return [{ role: 'assistant', blocks: [{ type: 'tool_use', id, name, input: callInput(given) }] }]
  }
  if (isOutput(given)) return [{ role: 'user', blocks: [resultBlock(id, outputText(given.output ?? given.tools))] }]
  if (given.role === undefined) return [] // reasoning, searches: rules look at none of it
  const role = given.role === 'assistant' || given.role === 'user' ? given.role : 'system'
  return [{ role, blocks: [{ type: 'text', text: textOfContent(given.content) }] }]
}

function callInput(given: Item): unknown {
  if (typeof given.arguments === 'string') return parseCallArguments(given.arguments)
  return given.arguments ?? given.action ?? { input: given.input }
}

function outputText(output: unknown): string {
  const known = contentSchema.safeParse(output)
  return known.success ? textOfContent(known.data) : JSON.stringify(output ?? '')
}

/** The door for requests of the Responses API: input items into messages. */
import { z } from 'zod'
import { jsonPath } from '../../base/json.ts'
import type { Block, Message, OfferedTool, ReadDialogue } from '../dialogue.ts'
import { argumentsOf, content, format, joined, resultBlock, structured, textOfContent } from './openai_items.ts'

/** Only what we look at is typed; unknown items and fields pass. */
const item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: content.nullish().catch(undefined),
  call_id: z.string().nullish(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  input: z.unknown().optional(),
  action: z.unknown().optional(),
  output: z.unknown().optional(),
})

type Item = z.infer<typeof item>

const tool = z.looseObject({ type: z.string(), name: z.string().optional(), tools: z.unknown().optional() })

const request = z.looseObject({
  model: z.string().min(1),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(item)], { error: 'must be a string or a list of items' }),
  tools: z.array(tool).nullish(),
  text: z.looseObject({ format: format.optional() }).nullish(),
  stream: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
})

/** The request, or why it would be refused. */
export function readResponses(body: unknown): ReadDialogue {
  const result = request.safeParse(body)
  if (!result.success) {
    const [issue] = result.error.issues
    return { ok: false, why: `${jsonPath(issue?.path ?? []).slice(2) || 'body'}: ${issue?.message ?? 'not a request'}` }
  }
  const { model, instructions, input, tools, text, stream, previous_response_id: previous } = result.data
  if (previous) return { ok: false, why: `Previous response with id '${previous}' not found.` }
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const why = items.length === 0 ? 'input: must not be empty' : unpaired(items)
  if (why !== null) return { ok: false, why }
  const offered = [...(tools ?? []).flatMap((one) => offeredOf(one)), ...structured(text?.format)]
  const messages = joined(items.flatMap(messageOf))
  return {
    ok: true,
    request: { model, system: instructions ?? '', messages, tools: offered, stream: stream === true },
  }
}

/** A tool of any type; those of a namespace one by one. A tool without a name goes by its type. */
function offeredOf(given: z.infer<typeof tool>, namespace?: string): OfferedTool[] {
  const inner = z.array(tool).safeParse(given.tools)
  if (given.type === 'namespace' && inner.success) return inner.data.flatMap((one) => offeredOf(one, given.name))
  const kind = given.type === 'custom' || given.type === 'local_shell' ? given.type : 'function'
  return [{ name: given.name ?? given.type, kind, namespace }]
}

const isCall = ({ type }: Item) => /^(function|custom_tool|local_shell)_call$/.test(type ?? '')
const isOutput = ({ type }: Item) => /^(function|custom_tool|local_shell)_call_output$/.test(type ?? '')

function unpaired(items: readonly Item[]): string | null {
  const calls = items.filter(isCall).map(({ call_id: id }) => id ?? '')
  const outputs = items.filter(isOutput).map(({ call_id: id }) => id ?? '')
  const open = calls.find((id) => !outputs.includes(id))
  if (open !== undefined) return `No tool output found for function call ${open}.`
  const stray = outputs.find((id) => !calls.includes(id))
  return stray === undefined ? null : `No tool call found for function call output with call_id ${stray}.`
}

function messageOf(given: Item): { role: Message['role']; blocks: Block[] }[] {
  const id = given.call_id ?? ''
  if (isCall(given)) {
    const input =
      given.arguments === undefined ? (given.action ?? { input: given.input }) : argumentsOf(given.arguments)
    return [{ role: 'assistant', blocks: [{ type: 'tool_use', id, name: given.name ?? 'local_shell', input }] }]
  }
  if (isOutput(given)) return [{ role: 'user', blocks: [resultBlock(id, outputText(given.output))] }]
  if (given.role === undefined) return [] // reasoning, searches: nothing that a rule looks at
  const role = given.role === 'assistant' || given.role === 'user' ? given.role : 'system'
  return [{ role, blocks: [{ type: 'text', text: textOfContent(given.content) }] }]
}

function outputText(output: unknown): string {
  const known = content.safeParse(output)
  return known.success ? textOfContent(known.data) : JSON.stringify(output ?? '')
}

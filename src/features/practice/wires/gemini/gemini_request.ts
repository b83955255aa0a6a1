/** Reads requests of the Gemini API and translates their contents into messages. */
import * as z from 'zod'
import { formatJsonPath } from '../../../../base/json/json.ts'
import type { Block, Message, OfferedTool, ReadDialogue } from '../../dialogue.ts'
import { joinMessages, resultBlock, structuredTools } from '../openai_items.ts'
import type { WireRoute } from '../wire.ts'

/** Only fields in use are typed; unknown parts and fields pass. */
const part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z.looseObject({ id: z.string().optional(), name: z.string(), args: z.unknown() }).optional(),
  functionResponse: z
    .looseObject({ id: z.string().optional(), name: z.string(), response: z.record(z.string(), z.unknown()) })
    .optional(),
  thoughtSignature: z.string().optional(),
})

type Part = z.infer<typeof part>

const content = z.looseObject({ role: z.enum(['user', 'model']).optional(), parts: z.array(part).default([]) })

type Content = z.infer<typeof content>

const declaration = z.looseObject({ name: z.string() })

const request = z.looseObject({
  systemInstruction: z.looseObject({ parts: z.array(part).default([]) }).optional(),
  contents: z.array(content, { error: 'contents is not specified' }).min(1, 'contents is not specified'),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(declaration).optional() })).optional(),
  generationConfig: z
    .looseObject({ responseSchema: z.unknown().optional(), responseJsonSchema: z.unknown().optional() })
    .optional(),
})

/** A count may wrap the request that it is for. */
const wrapped = z.looseObject({ generateContentRequest: z.unknown() })

/** The request, or why the API would refuse it. */
export function readGemini(body: unknown, { model, stream = false }: WireRoute): ReadDialogue {
  if (model === undefined) return { ok: false, why: 'no model in the path' }
  const inner = wrapped.safeParse(body)
  const result = request.safeParse(
    inner.success && inner.data.generateContentRequest ? inner.data.generateContentRequest : body,
  )
  if (!result.success) {
    const [issue] = result.error.issues
    const field = formatJsonPath(issue?.path ?? []).slice(2) || 'body'
    return { ok: false, why: `* GenerateContentRequest.${field}: ${issue?.message ?? 'not a request'}` }
  }
  const { systemInstruction, contents, tools = [], generationConfig: config = {} } = result.data
  const why = findUnansweredCall(contents)
  if (why !== null) return { ok: false, why }
  const isStructured = Boolean(config.responseSchema ?? config.responseJsonSchema)
  const offered = [
    ...tools.flatMap(toOfferedTools),
    ...structuredTools(isStructured ? { type: 'json_schema' } : undefined),
  ]
  const system = partsText(systemInstruction?.parts ?? [])
  return { ok: true, request: { model, system, messages: readContents(contents), tools: offered, stream } }
}

/** The declared functions; a built-in tool is named by its field (`googleSearch`). */
function toOfferedTools({ functionDeclarations, ...builtIn }: Record<string, unknown>): OfferedTool[] {
  const declared = z.array(declaration).safeParse(functionDeclarations)
  const names = [...(declared.success ? declared.data.map(({ name }) => name) : []), ...Object.keys(builtIn)]
  return names.map((name) => ({ name }))
}

/** Every call must be answered in the next content, and nothing else may be answered there. */
function findUnansweredCall(contents: readonly Content[]): string | null {
  const counts = (one: Content | undefined, field: 'functionCall' | 'functionResponse') =>
    (one?.parts ?? []).filter((each) => each[field] !== undefined).length
  const bad = contents.some((one, at) => counts(one, 'functionResponse') !== counts(contents[at - 1], 'functionCall'))
  if (!bad && counts(contents.at(-1), 'functionCall') === 0) return null
  return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
}

/** Messages with paired ids: a response without an id answers the call at its place. */
function readContents(contents: readonly Content[]): Message[] {
  let asked: string[] = []
  const items: { role: Message['role']; blocks: Block[] }[] = []
  for (const [at, { role = 'user', parts }] of contents.entries()) {
    const answers = [...asked]
    const blocks = parts.flatMap((one, index) => toBlocks(one, `${at}_${index}`, answers))
    asked = blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [id ?? ''] : []))
    items.push({ role: role === 'model' ? 'assistant' : 'user', blocks })
  }
  return joinMessages(items)
}

function toBlocks(given: Part, place: string, answers: string[]): Block[] {
  const { text = '', thought, functionCall: call, functionResponse: answered, thoughtSignature: signature } = given
  if (call !== undefined) {
    // the signature carries the id that the server gave: clients need not return ids
    const id = call.id ?? (signature === undefined ? place : Buffer.from(signature, 'base64').toString())
    return [{ type: 'tool_use', id, name: call.name, input: call.args ?? {} }]
  }
  if (answered !== undefined) {
    const next = answers.shift() ?? ''
    const { output, error } = answered.response
    const block = resultBlock(answered.id ?? next, responseText(error ?? output ?? answered.response))
    return [error === undefined ? block : { ...block, is_error: true }]
  }
  return text === '' || thought === true ? [] : [{ type: 'text', text }]
}

const responseText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function partsText(parts: readonly Part[]): string {
  return parts.flatMap(({ text = '' }) => (text === '' ? [] : [text])).join('\n')
}

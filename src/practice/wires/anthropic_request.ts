/** Checks requests of the Messages API: their shape, and the rules by which the real API refuses them. */
import * as z from 'zod'
import { formatJsonPath } from '../../base/json/json.ts'
import type { Block, ReadDialogue } from '../dialogue.ts'
import { chooseSchema } from '../scenario/strict_schema.ts'

const block: z.ZodType<Block> = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().optional(),
  content: z
    .union([z.string(), z.array(z.lazy(() => block))])
    .optional()
    .catch(undefined),
})

const blocks = z.array(block, { error: 'must be a string or a list of content blocks' })
const content = chooseSchema((given): z.ZodType<string | Block[]> => (typeof given === 'string' ? z.string() : blocks))

const request = z.looseObject({
  model: z.string().min(1),
  system: content.optional(),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content })).min(1),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
  stream: z.boolean().optional(),
})

type MessagesRequest = z.infer<typeof request>

/** A request for a message needs max_tokens; a request for a count does not. */
const answerable = request.extend({ max_tokens: z.number().int().positive() })

/** The request, or why the real API would refuse it. */
export function readMessages(body: unknown, counting: boolean): ReadDialogue {
  const result = (counting ? request : answerable).safeParse(body)
  if (!result.success) {
    const [issue] = result.error.issues
    return {
      ok: false,
      why: `${formatJsonPath(issue?.path ?? []).slice(2) || 'body'}: ${issue?.message ?? 'not a request'}`,
    }
  }
  const why = findUnpairedBlock(result.data.messages) ?? emptyText(result.data.messages)
  return why === null ? { ok: true, request: result.data } : { ok: false, why }
}

type Messages = MessagesRequest['messages']

/** Every tool_use must be answered in the next message, and every tool_result must answer one of the message before. */
function findUnpairedBlock(messages: Messages): string | null {
  const talk = messages.filter(({ role }) => role !== 'system')
  for (const [index, message] of talk.entries()) {
    const asked = pairIds(talk[index - 1], 'assistant')
    const answered = pairIds(message, 'user')
    const missing = asked.filter((id) => !answered.includes(id))
    if (missing.length > 0) {
      return `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`
    }
    const stray = answered.find((id) => !asked.includes(id))
    if (stray !== undefined) {
      return `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`
    }
  }
  return null
}

/** The ids of tool calls (assistant) or of the calls that results answer (user); empty for another role. */
function pairIds(message: Messages[number] | undefined, role: 'assistant' | 'user'): string[] {
  if (message?.role !== role || typeof message.content === 'string') return []
  return message.content.flatMap((one) => {
    if (role === 'assistant') return one.type === 'tool_use' ? [one.id ?? ''] : []
    return one.type === 'tool_result' ? [one.tool_use_id ?? ''] : []
  })
}

function emptyText(messages: Messages): string | null {
  const index = messages.findIndex(
    (message) => typeof message.content !== 'string' && message.content.some((one) => one.type === 'text' && !one.text),
  )
  return index < 0 ? null : `messages.${index}: text content blocks must be non-empty`
}

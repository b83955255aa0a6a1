/** Reads the tokens and the model from a response of a model's API, whole or streamed: Anthropic's, OpenAI's and Gemini's, also on a cloud. Pure. */
import * as z from 'zod'
import type { Usage } from '../../../schemas/usage.ts'
import { tryParseJson } from '../../base/json/json.ts'
import { knownUsage } from '../models/cost.ts'

export interface ResponseUsage {
  /** null: the response does not say. */
  model: string | null
  /** As far as they came; null: the response does not say. */
  usage: Usage | null
  /** uncounted: it is complete and has no counts, as where nobody asked for them; open: it is not complete. */
  end: 'counted' | 'uncounted' | 'failed' | 'open'
  isFailed: boolean
  /** Events of a stream; 1 for a whole response. */
  events: number
}

const count = z.number().int().nonnegative().nullish().catch(null)
const inputDetails = z.object({ cached_tokens: count, cache_write_tokens: count }).nullish().catch(null)
const outputDetails = z.object({ reasoning_tokens: count, thinking_tokens: count }).nullish().catch(null)

const counts = z.object({
  // Anthropic, and OpenAI's Responses
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  input_tokens_details: inputDetails,
  output_tokens_details: outputDetails,
  // OpenAI's Chat Completions
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: inputDetails,
  completion_tokens_details: outputDetails,
  // Gemini
  promptTokenCount: count,
  toolUsePromptTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
  cachedContentTokenCount: count,
})

const holder = {
  model: z.string().nullish().catch(null),
  usage: counts.nullish().catch(null),
}
const part = z.looseObject({
  ...holder,
  type: z.string().nullish().catch(null),
  error: z.unknown().optional(),
  choices: z.array(z.unknown()).nullish().catch(null),
  modelVersion: holder.model,
  usageMetadata: holder.usage,
  message: z.looseObject(holder).nullish().catch(null),
  response: z
    .looseObject({ ...holder, error: z.unknown().optional() })
    .nullish()
    .catch(null),
})

/** Counts of later events replace those of earlier ones, because they include them. */
export function readResponseUsage(contentType: string, body: Buffer): ResponseUsage {
  const isStream = contentType.includes('eventstream') || contentType.includes('event-stream')
  const parts = splitParts(contentType, body).flatMap((value) => {
    const read = part.safeParse(value)
    return read.success ? [read.data] : []
  })
  const said = parts.map(({ usage, response, usageMetadata }) => usage ?? response?.usage ?? usageMetadata)
  const isFailed = parts.some(
    ({ type, error, response }) => type === 'error' || error != null || response?.error != null,
  )
  const isEnded = !isStream || /^data: ?\[DONE\]/m.test(body.toString('utf8'))
  const merged: z.infer<typeof counts> = {}
  for (const [at, { message }] of parts.entries()) {
    const known = Object.entries(said[at] ?? message?.usage ?? {}).filter(([, one]) => one !== null)
    Object.assign(merged, Object.fromEntries(known))
  }
  const models = parts.map(({ model, message, response, modelVersion }) => {
    return model ?? message?.model ?? response?.model ?? modelVersion
  })
  const usage = knownUsage(readCounts(merged))
  const end = (): ResponseUsage['end'] => {
    if (usage !== null && said.some(Boolean)) return 'counted'
    if (isFailed) return 'failed'
    return isEnded && parts.some(({ choices }) => choices?.length) ? 'uncounted' : 'open'
  }
  return { model: models.findLast(Boolean) ?? null, usage, end: end(), isFailed, events: parts.length }
}

/** OpenAI's and Gemini's input includes what is in a cache; Whetstone's does not. A count that the server leaves out is 0. */
export function readCounts(given: z.infer<typeof counts>): Usage {
  const details = given.input_tokens_details ?? given.prompt_tokens_details
  const cached = details?.cached_tokens ?? given.cachedContentTokenCount ?? 0
  const written = details?.cache_write_tokens ?? 0
  const ofGemini = (given.promptTokenCount ?? 0) + (given.toolUsePromptTokenCount ?? 0)
  const thoughts = given.thoughtsTokenCount ?? 0
  const output = given.output_tokens_details ?? given.completion_tokens_details
  const reasoning = output?.reasoning_tokens ?? output?.thinking_tokens ?? thoughts
  return {
    input_tokens: Math.max(0, (given.input_tokens ?? given.prompt_tokens ?? ofGemini) - cached - written),
    output_tokens: given.output_tokens ?? given.completion_tokens ?? (given.candidatesTokenCount ?? 0) + thoughts,
    cache_read_tokens: cached + (given.cache_read_input_tokens ?? 0),
    cache_write_tokens: written + (given.cache_creation_input_tokens ?? 0),
    ...(reasoning > 0 ? { reasoning_tokens: reasoning } : {}),
  }
}

/** The JSON values of a body: the events of a stream, or a whole response. Bedrock's events hold others, in base64. */
function splitParts(contentType: string, body: Buffer): unknown[] {
  const text = body.toString('utf8')
  if (contentType.includes('vnd.amazon')) {
    const events = body.toString('latin1').matchAll(/"bytes":"([\w+/=]+)"/g)
    return [...events].map(([, data = '']) => tryParseJson(Buffer.from(data, 'base64').toString('utf8')))
  }
  if (!contentType.includes('text/event-stream')) return [tryParseJson(text)].flat()
  return text.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [tryParseJson(line.slice(5))] : []))
}

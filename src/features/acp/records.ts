/** The parts of ACP messages that are used here, read leniently: agents differ, and a field that is new must not end a run. */
import * as z from 'zod'

const text = z.string().nullish().catch(null)
const count = z.number().nonnegative().nullish().catch(null)

const toolFields = {
  toolCallId: z.string(),
  title: text,
  name: text,
  kind: text,
  status: text,
  content: z.array(z.unknown()).nullish().catch(null),
  locations: z
    .array(z.looseObject({ path: z.string() }))
    .nullish()
    .catch(null),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
}

const toolCallRecord = z.looseObject(toolFields)

const chunk = { content: z.looseObject({ type: z.string(), text: z.string().optional() }), messageId: text }

export const sessionUpdate = z.discriminatedUnion('sessionUpdate', [
  z.looseObject({ sessionUpdate: z.literal('agent_message_chunk'), ...chunk }),
  z.looseObject({ sessionUpdate: z.literal('agent_thought_chunk'), ...chunk }),
  z.looseObject({ sessionUpdate: z.literal('user_message_chunk'), ...chunk }),
  z.looseObject({ sessionUpdate: z.literal('tool_call'), ...toolFields }),
  z.looseObject({ sessionUpdate: z.literal('tool_call_update'), ...toolFields }),
  z.looseObject({
    sessionUpdate: z.literal('usage_update'),
    used: count,
    cost: z.looseObject({ amount: z.number().nonnegative(), currency: z.string() }).nullish().catch(null),
  }),
])

export const permissionRequest = z.looseObject({
  toolCall: toolCallRecord,
  options: z.array(z.looseObject({ optionId: z.string(), kind: z.string().catch('') })),
})

export const initializeResult = z.looseObject({
  protocolVersion: z.union([z.number(), z.string()]),
  agentInfo: z.looseObject({ name: z.string(), version: text }).nullish().catch(null),
  agentCapabilities: z
    .looseObject({
      mcpCapabilities: z
        .looseObject({ http: z.boolean().catch(false), sse: z.boolean().catch(false) })
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
  authMethods: z
    .array(z.looseObject({ id: z.string(), name: text }))
    .catch([])
    .default([]),
})

const choice = z.looseObject({ value: z.string() })

/** A select option; its choices may be in groups. */
const configOption = z.looseObject({
  id: z.string(),
  category: text,
  type: text,
  currentValue: z.unknown().optional(),
  options: z
    .array(z.union([choice, z.looseObject({ options: z.array(choice) })]))
    .catch([])
    .default([]),
})

export const newSessionResult = z.looseObject({
  sessionId: z.string(),
  configOptions: z.array(configOption).nullish().catch(null),
  models: z
    .looseObject({ availableModels: z.array(z.looseObject({ modelId: z.string() })), currentModelId: text })
    .nullish()
    .catch(null),
})

const geminiTokens = z.looseObject({ input_tokens: z.number().nonnegative(), output_tokens: z.number().nonnegative() })

export const promptResult = z.looseObject({
  stopReason: z.string().catch('end_turn'),
  usage: z
    .looseObject({
      inputTokens: z.number().nonnegative(),
      outputTokens: z.number().nonnegative(),
      totalTokens: count,
      thoughtTokens: count,
      cachedReadTokens: count,
      cachedWriteTokens: count,
    })
    .nullish()
    .catch(null),
  _meta: z
    .looseObject({
      quota: z
        .looseObject({
          token_count: geminiTokens,
          model_usage: z
            .array(z.looseObject({ model: z.string() }))
            .catch([])
            .default([]),
        })
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
})

export type SessionUpdate = z.infer<typeof sessionUpdate>
export type ToolCallRecord = z.infer<typeof toolCallRecord>
export type PermissionRequest = z.infer<typeof permissionRequest>
export type InitializeResult = z.infer<typeof initializeResult>
export type NewSessionResult = z.infer<typeof newSessionResult>
export type PromptResult = z.infer<typeof promptResult>

/** Turns values and errors into results of tools: short, without credentials, with control characters made visible. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { errorMessage, IncompleteError, UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { getRedactor, mapTexts } from '../../../base/secrets/redact.ts'
import { makeVisible } from '../../../base/text/show_control_characters.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'

export type ToolValue = { sentence: string } & Record<string, unknown>

/** The sentence, then the rest as JSON; the same as structured content. */
export function toToolResult(value: ToolValue, env: FlowContext['env']): CallToolResult {
  const { sentence, ...rest } = mapTexts(getRedactor(env).value(value), makeVisible)
  return {
    content: [{ type: 'text', text: `${sentence}\n${jsonText(rest)}` }],
    structuredContent: { sentence, ...rest },
  }
}

/** A mistake that the agent or the user can fix, in two lines; anything else is reported on standard error too. */
export function toToolError(error: unknown, env: FlowContext['env']): CallToolResult {
  const isExpected = error instanceof UserError || error instanceof IncompleteError
  const fix = isExpected && error.fix !== null ? `\nhint: ${error.fix}` : ''
  if (!isExpected) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  const text = getRedactor(env).value(`error: ${errorMessage(error)}${fix}`)
  return { content: [{ type: 'text', text: makeVisible(text).slice(0, 4000) }], isError: true }
}

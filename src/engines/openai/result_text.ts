/** Results of tools as texts, for APIs that have no field for failure. */
import type { ToolAnswer } from '../tool_loop/tools/tool.ts'

/** The text, which says itself that the call failed. */
export function resultText({ text, isError }: ToolAnswer): string {
  const said = text === '' ? '(empty)' : text
  return isError && !/\(exit code \d+\)$/.test(said) ? `Error: ${said}` : said
}

/** Arguments as sent: parsed where they are JSON, else the text itself, which no tool takes. */
export function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

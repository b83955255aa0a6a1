/** Tool results and arguments as text: these APIs have no field for a failed call. */
import type { ToolAnswer } from '../tool_loop/tools/tool.ts'

/** The text of a result; if the call failed, the text says so. */
export function resultText({ text, isError }: ToolAnswer): string {
  const said = text === '' ? '(empty)' : text
  return isError && !/\(exit code \d+\)$/.test(said) ? `Error: ${said}` : said
}

/** The arguments of a call, parsed if they are JSON, else the text itself, which no tool accepts. */
export function parseToolArguments(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

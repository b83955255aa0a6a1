/** Tool results and arguments as text: these APIs have no field for a failed call. */
import { parseTolerantText } from '../answers/tolerant_json.ts'
import type { ToolAnswer } from '../tool_loop/tools/tool.ts'

/** The text of a result; if the call failed, the text says so. */
export function resultText({ text, isError }: ToolAnswer): string {
  const said = text === '' ? '(empty)' : text
  return isError && !/\(exit code \d+\)$/.test(said) ? `Error: ${said}` : said
}

/** The arguments of a call, parsed if they are JSON that can be read in one way, else the text itself, which no tool accepts. */
export function parseToolArguments(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isAmbiguous(text) ? text : value
  } catch {
    return text
  }
}

/** Whether a name has two values: JSON.parse would silently keep the last one. */
function isAmbiguous(text: string): boolean {
  const parsed = parseTolerantText(text)
  return 'problem' in parsed && parsed.problem.includes('occurs twice')
}

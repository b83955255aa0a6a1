/** Says why a file is not a session: what was expected, and where reading stopped. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { errorMessage } from '../../base/errors/error.ts'
import { parseJson, tryParseJson } from '../../base/json/json.ts'

/** One sentence for a file that no format recognizes. Rejects if the file cannot be read. */
export async function explainNoSession(file: string): Promise<string> {
  const text = await readFile(file, 'utf8')
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const document = tryParseJson(text)
  if (document !== undefined)
    return `JSON ${describeFields(document)}; expected "schema_version" and "steps" (ATIF), or "info" and "messages" (opencode)`
  const [first = ''] = lines
  const record = tryParseJson(first)
  if (record !== undefined)
    return `none of its first ${Math.min(lines.length, 50)} lines is a record of an agent; line 1 is JSON ${describeFields(record)}`
  try {
    parseJson(text, path.basename(file))
  } catch (error) {
    return errorMessage(error)
  }
  return 'it has no record'
}

/** Why a document that has steps is not a trajectory; null: it has none. */
export function explainOtherTrajectory({ schema_version: version, steps }: Record<string, unknown>): string | null {
  const isLike = Array.isArray(steps) && steps.some((step) => typeof Object(step).source === 'string')
  const found = version === undefined ? 'missing' : JSON.stringify(version)
  return isLike ? `"schema_version" of the trajectory is ${found}, expected "ATIF-v1.0" to "ATIF-v1.7"` : null
}

function describeFields(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'that is not an object'
  const names = Object.keys(value)
  const more = names.length > 5 ? ', …' : ''
  return names.length === 0
    ? 'without a field'
    : `with ${names
        .slice(0, 5)
        .map((name) => `"${name}"`)
        .join(', ')}${more}`
}

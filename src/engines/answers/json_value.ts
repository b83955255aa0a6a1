/** Turns any value into a JSON value that a transcript can store. */
import * as z from 'zod'
import { isTooDeep, tooDeepText } from '../../base/json/nesting_depth.ts'

const json = z.json()

/** The value itself if it is JSON, else its text; a value that is nested too deep is replaced by a note that says so. */
export function toJsonValue(value: unknown): z.infer<typeof json> {
  if (isTooDeep(value)) return `(${tooDeepText})`
  const checked = json.safeParse(value)
  return checked.success ? checked.data : String(value)
}

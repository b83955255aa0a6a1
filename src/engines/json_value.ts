/** Any value as the JSON value that a transcript can hold. */
import { z } from 'zod'
import { isTooDeep, tooDeep } from '../base/depth.ts'

const json = z.json()

/** The value itself when it is JSON, else its text; in place of one that is nested too deep, that it is. */
export function jsonValue(value: unknown): z.infer<typeof json> {
  if (isTooDeep(value)) return `(${tooDeep})`
  const checked = json.safeParse(value)
  return checked.success ? checked.data : String(value)
}

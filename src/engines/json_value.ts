/** Any value as the JSON value that a transcript can hold. */
import { z } from 'zod'

const json = z.json()

/** The value itself when it is JSON, else its text. */
export function jsonValue(value: unknown): z.infer<typeof json> {
  const checked = json.safeParse(value)
  return checked.success ? checked.data : String(value)
}

/** Parses a file with its schema; a file that does not fit is shown raw. */
import type * as z from 'zod'
import type { Known } from '../../../../schemas/page.ts'
import { readLoose } from '../run_detail.ts'

/** null: no such file, or not JSON. */
export function parseOrRaw<S extends z.ZodType>(schema: S, file: string): Known<z.infer<S>> | null {
  const raw = readLoose(file)
  if (raw === null) return null
  const parsed = schema.safeParse(raw)
  return parsed.success ? { value: parsed.data } : { raw }
}

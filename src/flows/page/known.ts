/** A file as its schema has it; what does not fit is shown as it is. */
import type { z } from 'zod'
import type { Known } from '../../../schemas/page.ts'
import { readLoose } from './read_detail.ts'

/** null: no such file, or no JSON. */
export function known<S extends z.ZodType>(schema: S, file: string): Known<z.infer<S>> | null {
  const raw = readLoose(file)
  if (raw === null) return null
  const parsed = schema.safeParse(raw)
  return parsed.success ? { value: parsed.data } : { raw }
}

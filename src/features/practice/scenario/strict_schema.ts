/** Zod for files that people write: unknown keys get a "did you mean", and unions choose by shape, so that errors stay precise. */
import * as z from 'zod'
import { suggestChoice } from '../../../base/text/did_you_mean.ts'

/** An object without other keys; the error for an unknown one lists the nearest known ones. */
export function strictObject<S extends z.ZodRawShape>(shape: S) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') return unknownKeys(issue.keys ?? [], known)
      return issue.code === 'invalid_type' ? `must be an object with ${known.join(', ')}` : undefined
    },
  })
}

function unknownKeys(keys: readonly string[], known: readonly string[]): string {
  return keys.map((key) => `unknown key "${key}"${choiceNote(key, known)}`).join('; ')
}

/** "; did you mean …?", or the known words when none is near. */
export function choiceNote(word: string, known: readonly string[]): string {
  return `; ${suggestChoice(word, known)}`
}

/** Only the schema that `pick` returns for the value decides; its errors keep their paths. */
export function chooseSchema<S extends z.ZodType>(pick: (value: unknown) => S) {
  return z.unknown().transform((value, context): z.output<S> => {
    const result = pick(value).safeParse(value)
    if (result.success) return result.data
    for (const issue of result.error.issues) {
      context.issues.push({ code: 'custom', message: issue.message, path: issue.path, input: value })
    }
    return z.NEVER
  })
}

/** A refused flag value keeps its fix: the parser passes on the message of what a flag throws, and nothing else of it. */
import { UserError } from '../base/error.ts'

const known = new Map<string, UserError>()

/** What a flag throws. */
export function refused(message: string, fix: string): UserError {
  const error = new UserError(message, fix)
  known.set(message, error)
  return error
}

/** What was thrown with this message; null: nothing. */
export function refusalOf(message: string): UserError | null {
  return known.get(message) ?? null
}

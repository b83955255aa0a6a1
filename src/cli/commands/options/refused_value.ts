/** Keeps the fix of a refused flag value, since the parser passes on only the message of an error. */
import { UserError } from '../../../base/errors/error.ts'

const refusedErrors = new Map<string, UserError>()

/** The error that a flag throws. */
export function refuseValue(message: string, fix: string): UserError {
  const error = new UserError(message, fix)
  refusedErrors.set(message, error)
  return error
}

/** The error thrown with this message; null: none. */
export function findRefusal(message: string): UserError | null {
  return refusedErrors.get(message) ?? null
}

/** Takes failures of a small step as a plain answer: all of them, or those that are expected. */
import { errnoCode } from './error.ts'

type IsExpected = (error: unknown) => boolean

/** What `step` returns; `otherwise` when it throws an expected error (absent: any). Throws others. */
export function attempt<T, O>(step: () => T, otherwise: O, isExpected: IsExpected = () => true): T | O {
  try {
    return step()
  } catch (error) {
    return answerError(otherwise, isExpected)(error)
  }
}

/** For `catch` of a promise: answers an expected error with `otherwise`, and throws others again. */
export function answerError<O>(otherwise: O, isExpected: IsExpected): (error: unknown) => O {
  return (error) => {
    if (!isExpected(error)) throw error
    return otherwise
  }
}

/** Recognises errors of the system by their codes, such as ENOENT. */
export function isErrno(...codes: readonly string[]): IsExpected {
  return (error) => codes.includes(errnoCode(error) ?? '')
}

/** Whether the promise is fulfilled. */
export async function succeeds(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  )
}

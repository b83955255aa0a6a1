/** Classifies a failed request by the text of its error, for agent CLIs that report no status. */
import type { FailureKind } from '../../../schemas/run.ts'

/** Failure kinds by the text of an error. */
const kinds: readonly (readonly [RegExp, FailureKind])[] = [
  [/\b429\b|rate.?limit|too many requests/i, 'rate_limited'],
  [/\b(529|503)\b|overloaded/i, 'overloaded'],
  [/closed unexpectedly|terminated|unexpected EOF|reading a body/i, 'server_error'], // it had been established before
  [/connect|ECONN|ENOTFOUND|network|socket|fetch failed/i, 'unreachable'],
  [/\b40[13]\b|api key|unauthori[sz]ed|authentication/i, 'credentials'],
  [/model not found|ModelNotFound|\b(400|404|413|422)\b/i, 'bad_request'],
]

/** The failure kind of a request with this error text. */
export function classifyErrorText(text: string): FailureKind {
  return kinds.find(([pattern]) => pattern.test(text))?.[1] ?? 'server_error'
}

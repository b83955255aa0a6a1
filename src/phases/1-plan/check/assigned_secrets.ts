/** Secrets that have no form of their own, told by the name they are given: `AWS_SECRET_ACCESS_KEY=…`, `"password": "…"`. */

/** A name, `=` or `:`, and one value to its end. All lengths are bounded, so that a long line takes no longer than its length. */
const assignment =
  /(?<![\w-])([A-Za-z][\w-]{2,60})\\?["']?[ \t]{0,4}(?:=>|:=|[=:])[ \t]{0,4}(\\?["'`]?)([\w+/=~!@#%^&*-]{20,200})(?=[\s"'`,;}\])\\]|$)/g

/** The end of a name, in any spelling: api_key, apiKey, API-KEY. A `key` or a `token` that may as well be of a map, a page or a form is none. */
const secretName =
  /(?:(?:api|access|secret|private|auth|signing|encryption|account|service|master)[_-]?key|(?:auth|access|api|bearer|refresh|bot|session|secret|personal|deploy)[_-]?token|secret|password|passwd|passphrase)$/i

/** The values of a line that are under such a name and look drawn by chance. Without quotes it is code, unless the name is a variable's of a shell. */
export function assignedSecrets(line: string): string[] {
  return [...line.matchAll(assignment)].flatMap(([, name = '', quote = '', value = '']) => {
    const isValue = quote !== '' || /^[A-Z0-9_]+$/.test(name)
    return isValue && secretName.test(name) && isRandom(value) && !madeUp.test(value) ? [value] : []
  })
}

/** The last two are the tokens of RFC 6749, which half the world quotes. */
const madeUp =
  /test|dummy|fake|sample|change|replace|redacted|insert|placeholder|secret|passw|token|abcdef|123456|^d41d8cd98f00b204e9800998ecf8427e$|^sha\d+-|2YotnFZFEjr1|tGzv3JOkF0XG5/i
const leastBits = 3.3
const leastHexBits = 3

/** Letters of both kinds and digits without a word among them, or a long number in hex. */
function isRandom(value: string): boolean {
  if (/^(?:[0-9a-f]{32,}|[0-9A-F]{32,})$/.test(value)) return bitsOf(value) >= leastHexBits
  if (value.includes('/') && value.length < 40) return false // a path, not a key
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d.*\d/.test(value)
  return isMixed && !/[a-z]{7}|[A-Z]{7}/.test(value) && bitsOf(value) >= leastBits
}

/** Shannon entropy of the characters, in bits for each. */
function bitsOf(text: string): number {
  const counts = new Map<string, number>()
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0)
}

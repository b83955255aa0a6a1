/** Secrets that have no form of their own, told by the name they are given: `AWS_SECRET_ACCESS_KEY=…`, `"password": "…"`. */
import path from 'node:path'

/** A name, `=` or `:`, and one value to its end. All lengths are bounded, so that a long line takes no longer than its length. */
const assignment =
  /(?<![\w-])([A-Za-z][\w-]{2,60})\\?["']?[ \t]{0,4}(=>|:=|[=:])[ \t]{0,4}(\\?["'`]?)([\w+/=~!@#%^&*-]{20,200})(?=[\s"'`,;}\])\\]|$)/g

/** The end of a name, in any spelling: api_key, apiKey, API-KEY. A `key` or a `token` that may as well be of a map, a page or a form is none. */
const secretName =
  /(?:(?:api|access|secret|private|auth|signing|encryption|account|service|master)[_-]?key|(?:auth|access|api|bearer|refresh|bot|session|secret|personal|deploy)[_-]?token|secret|password|passwd|passphrase)$/i
/** Of a shell's variable; those that lead from one page to the next are no secrets. */
const tokenVariable = /^[A-Z0-9_]+(?<!PAGE|NEXT|CONTINUATION|SYNC|START|END)_TOKEN$/

/** The values of a line that are under such a name and look drawn by chance. Without quotes it is code, but for variables of a shell and settings. */
export function assignedSecrets(line: string, file: string): string[] {
  const all = [...line.matchAll(assignment)]
  return all.flatMap((found) => {
    const [, name = '', sign = '', quote = '', value = ''] = found
    const isSecretName =
      secretName.test(name) || tokenVariable.test(name) || (name === 'token' && sign === ':' && quote !== '')
    const isValue =
      quote !== '' || /^[A-Z0-9_]+$/.test(name) || (all.length === 1 && isSettings(file) && isWholeLine(line, found))
    return isSecretName && isValue && isRandom(value) && !madeUp.test(value) ? [value] : []
  })
}

/** A file that holds values and no code. */
function isSettings(file: string): boolean {
  const name = path.basename(file).toLowerCase()
  return /\.(?:ya?ml|ini|cfg|conf|toml|env|properties)$|^\.env\b|^\.?(?:credentials|netrc|npmrc|pypirc|s3cfg|boto)$/.test(
    name,
  )
}

/** Nothing else is on the line: an item's dash, `export`, names above it (`spring.datasource.`) and a comment apart. */
function isWholeLine(line: string, { index, 0: { length } }: RegExpExecArray): boolean {
  const isFirst = /^\s*(?:-\s+)?(?:export\s+)?[\w.-]{0,100}["']?$/.test(line.slice(0, index))
  return isFirst && /^\s*(?:[#;].*)?$/.test(line.slice(index + length))
}

/** What stands in documents: words, the digest of nothing, and the tokens of RFC 6749, of Django REST framework and of Slack. */
const madeUp =
  /test|dummy|fake|sample|change|replace|redacted|insert|placeholder|secret|passw|token|abcdef|123456|^d41d8cd98f00b204e9800998ecf8427e$|^sha\d+-|2YotnFZFEjr1|tGzv3JOkF0XG5|^9944b09199c6|Jhj5dZrVaK7Z|gIkuvaNzQIHg/i
const leastBits = 3.3
const leastHexBits = 3

/** Letters of both kinds and digits without a word among them, or a long number in hex. */
function isRandom(value: string): boolean {
  if (/^(?:[0-9a-f]{32,}|[0-9A-F]{32,})$/.test(value)) return bitsOf(value) >= leastHexBits
  if (value.includes('/') && value.length < 40) return false // a path, not a key
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d.*\d/.test(value)
  return isMixed && !/[a-z]{7}|[A-Z]{7}/.test(value) && shareOfWords(value) < mostWords && bitsOf(value) >= leastBits
}

/** Of letters drawn by chance a quarter look like words, of `getKeyFromVault1` nearly all. */
const mostWords = 0.65

/** The share of the letters in runs that may be words. */
function shareOfWords(value: string): number {
  const words = value.match(/[A-Z][a-z]{2,}|[a-z]{3,}/g) ?? []
  return words.join('').length / value.length
}

/** Shannon entropy of the characters, in bits for each. */
function bitsOf(text: string): number {
  const counts = new Map<string, number>()
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0)
}

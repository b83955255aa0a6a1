/** Finds secrets without a form of their own by the name of their variable: `AWS_SECRET_ACCESS_KEY=…`, `"password": "…"`. */
import path from 'node:path'

/** A name, `=` or `:`, and one whole value. All lengths are bounded, so that the time grows only with the line's length. */
const assignment =
  /(?<![\w-])([A-Za-z][\w-]{2,60})\\?["']?[ \t]{0,4}(=>|:=|[=:])[ \t]{0,4}(\\?["'`]?)([\w+/=~!@#%^&*-]{20,200})(?=[\s"'`,;}\])\\]|$)/g

/** The end of a name, in any spelling: api_key, apiKey, API-KEY. A bare `key` or `token` may belong to a map, a page or a form. */
const secretName =
  /(?:(?:api|access|secret|private|auth|signing|encryption|account|service|master)[_-]?key|(?:auth|access|api|bearer|refresh|bot|session|secret|personal|deploy)[_-]?token|secret|password|passwd|passphrase)$/i
/** Name of a shell variable; tokens for the next page of a list are not secrets. */
const tokenVariable = /^[A-Z0-9_]+(?<!PAGE|NEXT|CONTINUATION|SYNC|START|END)_TOKEN$/

/** Values on a line that have a secret's name and look random. An unquoted value counts only for a shell variable or in a settings file. */
export function assignedSecrets(line: string, file: string): string[] {
  const all = [...line.matchAll(assignment)]
  return all.flatMap((found) => {
    const [, name = '', sign = '', quote = '', value = ''] = found
    const isSecretName =
      secretName.test(name) || tokenVariable.test(name) || (name === 'token' && sign === ':' && quote !== '')
    const isValue =
      quote !== '' || /^[A-Z0-9_]+$/.test(name) || (all.length === 1 && isSettings(file) && isWholeLine(line, found))
    return isSecretName && isValue && isRandom(value) && !placeholderPattern.test(value) ? [value] : []
  })
}

/** Whether a file contains values and no code. */
function isSettings(file: string): boolean {
  const name = path.basename(file).toLowerCase()
  return /\.(?:ya?ml|ini|cfg|conf|toml|env|properties)$|^\.env\b|^\.?(?:credentials|netrc|npmrc|pypirc|s3cfg|boto)$/.test(
    name,
  )
}

/** Whether the line has nothing else but a list dash, `export`, name prefixes (`spring.datasource.`) and a comment. */
function isWholeLine(line: string, { index, 0: { length } }: RegExpExecArray): boolean {
  const isFirst = /^\s*(?:-\s+)?(?:export\s+)?[\w.-]{0,100}["']?$/.test(line.slice(0, index))
  return isFirst && /^\s*(?:[#;].*)?$/.test(line.slice(index + length))
}

/** Values of documentation: words, the digest of nothing, and the tokens of RFC 6749, Django REST framework and Slack. */
const placeholderPattern =
  /test|dummy|fake|sample|change|replace|redacted|insert|placeholder|secret|passw|token|abcdef|123456|^d41d8cd98f00b204e9800998ecf8427e$|^sha\d+-|2YotnFZFEjr1|tGzv3JOkF0XG5|^9944b09199c6|Jhj5dZrVaK7Z|gIkuvaNzQIHg/i
const leastBits = 3.3
const leastHexBits = 3

/** Mixed upper and lower case with digits and hardly any words, or a long hex number. */
function isRandom(value: string): boolean {
  if (/^(?:[0-9a-f]{32,}|[0-9A-F]{32,})$/.test(value)) return measureEntropy(value) >= leastHexBits
  if (value.includes('/') && value.length < 40) return false // a path, not a key
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d.*\d/.test(value)
  return (
    isMixed && !/[a-z]{7}|[A-Z]{7}/.test(value) && shareOfWords(value) < mostWords && measureEntropy(value) >= leastBits
  )
}

/** A quarter of the letters in random text look like words, and nearly all in `getKeyFromVault1`. */
const mostWords = 0.65

/** Share of the letters that may belong to words, 0 to 1. */
function shareOfWords(value: string): number {
  const words = value.match(/[A-Z][a-z]{2,}|[a-z]{3,}/g) ?? []
  return words.join('').length / value.length
}

/** Shannon entropy in bits per character. */
function measureEntropy(text: string): number {
  const counts = new Map<string, number>()
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0)
}

/** Finds likely secrets in files by the form of well-known keys or by the name of a value; findings never show the secret. */
import path from 'node:path'
import { keyForms } from '../../../../base/secrets/secret_forms.ts'
import { countEach } from '../../../../base/totals.ts'
import type { LintFinding, LintRule } from '../rules/rule.ts'

export interface SkillFileText {
  /** Relative to the skill, with /. */
  path: string
  /** Absolute. */
  file: string
  text: string
}

const privateKey = 'a private key'

const forms: readonly { what: string; form: RegExp }[] = [
  ...keyForms,
  { what: privateKey, form: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/ },
  {
    what: 'a password in an address',
    // excludes a password equal to the user name, and addresses of the local machine or network
    form: /\b[a-z][a-z0-9+.-]{0,20}:\/\/([^\s/:@<>{}$"']{0,100}):(?!\1@)[^\s/:@<>{}$"']{8,200}@(?!\[::1\]|(?:localhost|127\.0\.0\.1|(?:[\w-]{1,63}\.){1,5}local)(?![\w-]|\.\w))[\w.[-]/i,
  },
].map(({ what, form }) => ({ what, form: new RegExp(form, `${form.flags}g`) }))

export const secretRule: LintRule<readonly SkillFileText[]> = {
  id: 'likely-secret',
  severity: 'error',
  about:
    'The form of a known key or token, a password in an address, or a random value named `API_KEY`, `password` or the like; never shown.',
  find: (files) => files.flatMap(findSecrets),
}

/** Placeholders for keys in documentation. */
const placeholder =
  /example|your|x{6,}|\*{3,}|0{8,}|12345678|:(?:(?:my|db|user|the|test|some|super|secret)[_-]?)?(?:password|passw0rd|passwd|secret)\d{0,4}@|:change[_-]?(?:me|it|this)@/i

/** Words with hyphens between them, as in an anchor: a key has digits or capital letters. */
const words = /^[a-z]+(?:[-_][a-z]+)+$/

function findSecrets({ file, text }: SkillFileText): LintFinding[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) =>
    [...findSecretKinds(line, file)]
      .filter(([what]) => what !== privateKey || isKeyWithMaterial(lines.slice(index, index + linesBeforeMaterial)))
      .map(([what, values]) => ({
        message: `looks like ${what}${values.size === 1 ? '' : ` (${values.size} on this line)`}`,
        fix: 'take it out and revoke it; name an environment variable instead',
        line: index + 1,
        file,
      })),
  )
}

/** Its headers (RFC 1421) may stand between the first line of a key and its content. */
const linesBeforeMaterial = 6

/** Documentation shows the first line of a key without what makes it one. */
function isKeyWithMaterial(lines: readonly string[]): boolean {
  const rest = lines.join('\n').replaceAll(/\\[nrt]/g, '\n')
  return /PRIVATE KEY-----(?:(?!-----)[\s\S])*?(?<![\w+/])[\w+/]{32}/.test(rest)
}

/** Maps each kind of secret to its distinct values on the line. A value that matches two forms counts for the first. */
function findSecretKinds(line: string, file: string): Map<string, Set<string>> {
  const kinds = new Map<string, Set<string>>()
  // an escaped line break in JSON hides where the next word begins
  let rest = line.replaceAll(/\\[nrt]/g, '  ')
  const add = (what: string, value: string) => kinds.set(what, (kinds.get(what) ?? new Set()).add(value))
  for (const { what, form } of forms) {
    rest = rest.replaceAll(form, (found) => {
      if (placeholder.test(found) || words.test(found)) return found
      add(what, found)
      return ' '
    })
  }
  for (const value of assignedSecrets(rest, file)) if (!placeholder.test(value)) add('a secret by its name', value)
  return kinds
}

/** A name, `=` or `:`, and one whole value. All lengths are bounded, so that the time grows only with the line's length. */
const assignment =
  /(?<![\w-])([A-Za-z][\w-]{2,60})\\?["']?[ \t]{0,4}(=>|:=|[=:])[ \t]{0,4}(\\?["'`]?)([\w+/=~!@#%^&*-]{20,200})(?=[\s"'`,;}\])\\]|$)/g

/** The end of a name, in any spelling: api_key, apiKey, API-KEY. A bare `key` or `token` may belong to a map, a page or a form. */
const secretName =
  /(?:(?:api|access|secret|private|auth|signing|encryption|account|service|master)[_-]?key|(?:auth|access|api|bearer|refresh|bot|session|secret|personal|deploy)[_-]?token|secret|password|passwd|passphrase)$/i
/** Name of a shell variable; tokens for the next page of a list are not secrets. */
const tokenVariable = /^[A-Z0-9_]+(?<!PAGE|NEXT|CONTINUATION|SYNC|START|END)_TOKEN$/

/** Values on a line that have a secret's name and look random. An unquoted value counts only for a shell variable or in a settings file. */
function assignedSecrets(line: string, file: string): string[] {
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
  return [...countEach(text).values()].reduce(
    (sum, count) => sum - (count / text.length) * Math.log2(count / text.length),
    0,
  )
}

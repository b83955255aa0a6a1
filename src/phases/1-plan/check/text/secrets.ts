/** Finds likely secrets in files by the form of well-known keys or by the name of a value; findings never show the secret. */
import { keyForms } from '../../../../base/secrets/secret_forms.ts'
import type { LintFinding, LintRule } from '../rules/rule.ts'
import { assignedSecrets } from './assigned_secrets.ts'

export interface SkillFileText {
  /** Relative to the skill, with /. */
  path: string
  /** Absolute. */
  file: string
  text: string
}

const forms: readonly { what: string; form: RegExp }[] = [
  ...keyForms,
  { what: 'a private key', form: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/ },
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

function findSecrets({ file, text }: SkillFileText): LintFinding[] {
  return text.split('\n').flatMap((line, index) =>
    [...findSecretKinds(line, file)].map(([what, values]) => ({
      message: `looks like ${what}${values.size === 1 ? '' : ` (${values.size} on this line)`}`,
      fix: 'take it out and revoke it; name an environment variable instead',
      line: index + 1,
      file,
    })),
  )
}

/** Maps each kind of secret to its distinct values on the line. A value that matches two forms counts for the first. */
function findSecretKinds(line: string, file: string): Map<string, Set<string>> {
  const kinds = new Map<string, Set<string>>()
  // an escaped line break in JSON hides where the next word begins
  let rest = line.replaceAll(/\\[nrt]/g, '  ')
  const add = (what: string, value: string) => kinds.set(what, (kinds.get(what) ?? new Set()).add(value))
  for (const { what, form } of forms) {
    rest = rest.replaceAll(form, (found) => {
      if (placeholder.test(found)) return found
      add(what, found)
      return ' '
    })
  }
  for (const value of assignedSecrets(rest, file)) if (!placeholder.test(value)) add('a secret by its name', value)
  return kinds
}

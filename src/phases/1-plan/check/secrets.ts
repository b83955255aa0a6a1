/** Likely secrets in the text of files: found by the form of well-known keys, and never shown. */
import { keyForms } from '../../../base/secret_forms.ts'
import type { Finding, Rule } from './rule.ts'

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
    form: /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@<>{}$"']{1,100}:[^\s/:@<>{}$"']{8,200}@[\w.-]/,
  },
]

export const secretRule: Rule<readonly SkillFileText[]> = {
  id: 'likely-secret',
  severity: 'error',
  about: 'A text that has the form of a key, token or password; its value is never shown.',
  find: (files) => files.flatMap(secretsIn),
}

/** What documents write in place of a key. */
const placeholder = /example|your|x{6,}|\*{3,}|0{8,}|12345678|:(password|passw0rd|secret)@/i

function isReal(found: string | undefined): boolean {
  return found !== undefined && !placeholder.test(found)
}

function secretsIn({ file, text }: SkillFileText): Finding[] {
  return text.split('\n').flatMap((line, index) => {
    const found = forms.find(({ form }) => isReal(form.exec(line)?.[0]))
    if (found === undefined) return []
    const fix = 'take it out and revoke it; name an environment variable instead'
    return [{ message: `looks like ${found.what}`, fix, line: index + 1, file }]
  })
}

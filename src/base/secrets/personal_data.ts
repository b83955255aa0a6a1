/** Removes personal data and secrets from texts of recorded sessions. It finds what has a known form: no guarantee. */
import { homeForms, nameForms, personalForms } from './personal_forms.ts'
import { getRedactor } from './redact.ts'

export interface PersonalRedactor {
  /** Replaces each finding by [redacted:NAME]. */
  text: (text: string) => string
  /** How often each kind was removed, by its name. */
  removed: () => Record<string, number>
}

type UserEnv = Readonly<Record<string, string | undefined>>

const leastName = 3

/** Users of machines and words that are no person's. */
const sharedNames = new Set(
  'root user users admin administrator ubuntu debian runner node app home guest public shared default work workspace test dev the and you all team everyone there folks sir madam claude codex gemini copilot assistant agent'.split(
    ' ',
  ),
)

/** `texts`: everything that will be shown, to find the names of people and users first: a name in one text is removed from all. */
export function createPersonalRedactor(env: UserEnv, texts: Iterable<string>): PersonalRedactor {
  const secrets = getRedactor(env)
  const users = new Set<string>()
  const people = new Set<string>()
  for (const own of [env.USER, env.LOGNAME, env.USERNAME]) addName(own, users)
  for (const text of [env.HOME ?? '', env.USERPROFILE ?? '', ...texts]) {
    for (const form of homeForms) for (const [, name] of text.matchAll(form)) addName(name, users)
    for (const form of nameForms)
      for (const [, name] of text.matchAll(form)) for (const part of splitName(name)) people.add(part)
  }
  const counts = new Map<string, number>()
  const mark = (name: string, times = 1) => {
    counts.set(name, (counts.get(name) ?? 0) + times)
    return `[redacted:${name}]`
  }
  const userPattern = wholeWords(users, 'giu')
  const peoplePattern = wholeWords(people, 'gu')
  const text = (given: string): string => {
    const clean = secrets.text(given)
    for (const [, name = ''] of clean.matchAll(/\[redacted:([^\]]+)\]/g)) mark(name)
    let rest = protectMarks(clean, (part) => {
      let own = part
      for (const form of homeForms) own = own.replaceAll(form, () => mark('home'))
      return own
    })
    for (const { name, form, keep, when } of personalForms) {
      const pattern = new RegExp(form.source, [...new Set(`g${form.flags}`)].join(''))
      rest = protectMarks(rest, (part) =>
        part.replaceAll(pattern, (found) =>
          when?.(found) === false ? found : `${keep?.exec(found)?.[0] ?? ''}${mark(name)}`,
        ),
      )
    }
    return protectMarks(rest, (part) => {
      const withoutUsers = userPattern === null ? part : part.replaceAll(userPattern, () => mark('user'))
      return peoplePattern === null ? withoutUsers : withoutUsers.replaceAll(peoplePattern, () => mark('name'))
    })
  }
  return { text, removed: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))) }
}

function addName(name: string | undefined, to: Set<string>): void {
  if (name !== undefined && name.length >= leastName && !sharedNames.has(name.toLowerCase())) to.add(name)
}

/** A name as a whole and each of its parts, as written and with capitals. */
function splitName(name: string | undefined): string[] {
  const parts = (name ?? '')
    .split(/\s+/)
    .filter((part) => part.length >= leastName && !sharedNames.has(part.toLowerCase()))
  return parts.flatMap((part) => [part, part.slice(0, 1).toUpperCase() + part.slice(1)])
}

function wholeWords(names: ReadonlySet<string>, flags: string): RegExp | null {
  if (names.size === 0) return null
  const sources = [...names]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${sources.join('|')})(?![\\p{L}\\p{N}])`, flags)
}

/** Applies a step to everything but the marks, so that no mark is changed again. */
function protectMarks(text: string, step: (part: string) => string): string {
  return text
    .split(/(\[redacted:[^\]]+\])/)
    .map((part, index) => (index % 2 === 1 ? part : step(part)))
    .join('')
}

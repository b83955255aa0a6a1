/** Takes credentials out of texts before they are kept: the values of the user's own, and what has the form of one. */
import { keyForms, type SecretForm, spokenForms } from './secret_forms.ts'

type UserEnv = Readonly<Record<string, string | undefined>>

export interface Redactor {
  /** The text with each credential replaced by [redacted:NAME]. A value that is cut off at either end of the text goes too. */
  text(text: string): string
  /** The same in every text of a JSON value; the value itself where nothing is found. Property names stay. */
  value<V>(value: V): V
  /** Only the user's own values, for bytes that must keep their form otherwise; null: none is in it. */
  bytes(bytes: Buffer): { bytes: Buffer; names: string[] } | null
}

const known = new WeakMap<UserEnv, Redactor>()

/** The redactor for a user's environment, made once for each. */
export function redactorFor(env: UserEnv): Redactor {
  const found = known.get(env)
  if (found !== undefined) return found
  const made = makeRedactor(secretsIn(env))
  known.set(env, made)
  return made
}

interface Secret {
  name: string
  value: string
}

const secretName =
  /(^|_)(API_?KEY|KEY|TOKEN|PASS|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|COOKIE)S?$|_(PWD|PAT)$|SECRET|PASSWORD|(ACCESS|PRIVATE)_?KEY$/i
const leastLength = 8
/** Shorter values count only as a whole word, and uncut: a key such as `practice` is a part of many harmless words. */
const wholeWordBelow = 16

/** Values of the variables whose names say that they are secret, each once; a path names a file and is none. */
function secretsIn(env: UserEnv): Secret[] {
  const named = new Map<string, string[]>()
  for (const [name, given = ''] of Object.entries(env)) {
    const value = given.trim()
    if (!secretName.test(name) || value.length < leastLength || isPath(value)) continue
    named.set(value, [...(named.get(value) ?? []), name])
  }
  const found = [...named].map(([value, names]) => ({ name: names.join(' or '), value }))
  return found.sort((a, b) => b.value.length - a.value.length)
}

/** A key in base64 may begin with a / as well: it is long, without a dot, of letters of both kinds and digits. */
function isPath(value: string): boolean {
  if (!/^[~.]{0,2}\//.test(value)) return false
  return !/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z0-9/+]{32,}={0,2}$/.test(value)
}

const forms: readonly SecretForm[] = [...keyForms, ...spokenForms]

function makeRedactor(secrets: readonly Secret[]): Redactor {
  // inside JSON a value may be escaped
  const spelt = secrets.flatMap(({ name, value }) => {
    const escaped = JSON.stringify(value).slice(1, -1)
    return escaped === value
      ? [{ name, value }]
      : [
          { name, value },
          { name, value: escaped },
        ]
  })
  const names = [...spelt.map(({ name }) => name), ...forms.map(({ name }) => name)]
  const keeps = [...spelt.map(() => undefined), ...forms.map(({ keep }) => keep)]
  const sources = [...spelt.map(({ value }) => exactly(value)), ...forms.map(({ form }) => form.source)]
  const pattern = new RegExp(sources.map((source) => `(${source})`).join('|'), 'g')
  const replaced = (found: string, ...groups: unknown[]) => {
    const index = groups.findIndex((group) => group !== undefined)
    return `${keeps[index]?.exec(found)?.[0] ?? ''}${mark(names[index] ?? 'key')}`
  }
  const cuttable = secrets.filter(({ value }) => value.length >= wholeWordBelow)
  const all = cuttable.map(({ value }) => value).join('\n')
  const text = (given: string) => {
    if (given.length < leastLength) return given
    const clean = given.replace(pattern, replaced)
    const mayBeCut = all.includes(clean.slice(0, leastLength)) || all.includes(clean.slice(-leastLength))
    return mayBeCut ? withoutCutEnds(clean, cuttable) : clean
  }
  return { text, value: (value) => inTexts(value, once(text)), bytes: (bytes) => withoutValues(bytes, secrets) }
}

function mark(name: string): string {
  return `[redacted:${name}]`
}

function exactly(value: string): string {
  const source = value.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
  return value.length < wholeWordBelow ? `(?<![\\w-])${source}(?![\\w-])` : source
}

/** A text may be cut inside a value (the tail of a log): at least half of the value, at the text's very end or beginning. */
function withoutCutEnds(text: string, secrets: readonly Secret[]): string {
  let rest = text
  for (const { name, value } of secrets) {
    const least = Math.ceil(value.length / 2)
    if (rest.length < least) continue
    if (value.includes(rest.slice(-least))) {
      const length = longest(value.length, least, (size) => rest.endsWith(value.slice(0, size)))
      if (length > 0) rest = `${rest.slice(0, -length)}${mark(name)}`
    }
    if (value.includes(rest.slice(0, least))) {
      const length = longest(value.length, least, (size) => rest.startsWith(value.slice(-size)))
      if (length > 0) rest = `${mark(name)}${rest.slice(length)}`
    }
  }
  return rest
}

function longest(from: number, to: number, fits: (size: number) => boolean): number {
  for (let size = from - 1; size >= to; size -= 1) if (fits(size)) return size
  return 0
}

/** A large value says most of its texts many times: each is looked through once. */
function once(text: (text: string) => string): (text: string) => string {
  const seen = new Map<string, string>()
  return (given) => {
    const found = seen.get(given)
    if (found !== undefined) return found
    const clean = text(given)
    seen.set(given, clean)
    return clean
  }
}

/** Levels that are gone into; what lies deeper is left out, since a key may be in it. */
const levels = 1000

function inTexts<V>(value: V, text: (text: string) => string, left?: number): V
function inTexts(value: unknown, text: (text: string) => string, left = levels): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return value
  if (left === 0) return mark('what is nested too deep')
  let copy: object | null = null // a large artefact is seldom changed, and not copied then
  for (const key of Object.keys(value)) {
    const given: unknown = Reflect.get(value, key)
    const clean = inTexts(given, text, left - 1)
    if (clean === given) continue
    copy ??= Array.isArray(value) ? [...value] : { ...value }
    Object.defineProperty(copy, key, { value: clean, enumerable: true, writable: true, configurable: true })
  }
  return copy ?? value
}

/** Text gets the mark; in other bytes a value is overwritten, so that nothing moves. */
function withoutValues(bytes: Buffer, secrets: readonly Secret[]): { bytes: Buffer; names: string[] } | null {
  const found = secrets.filter(({ value }) => bytes.includes(value))
  if (found.length === 0) return null
  const isText = !bytes.includes(0)
  let text = bytes.toString('latin1')
  for (const { name, value } of found) {
    const raw = Buffer.from(value).toString('latin1')
    text = text.replaceAll(new RegExp(exactly(raw), 'g'), isText ? mark(name) : '*'.repeat(raw.length))
  }
  const changed = Buffer.from(text, 'latin1')
  return changed.equals(bytes) ? null : { bytes: changed, names: found.map(({ name }) => name) }
}

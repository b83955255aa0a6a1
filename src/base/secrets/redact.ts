/** Removes credentials from texts before they are kept: the values of the user's own, logins of proxies among them, and text in the form of a key. */
import { attempt } from '../errors/attempt.ts'
import { keyForms, placeholderForm, redactionForms, type SecretForm } from './secret_forms.ts'

type UserEnv = Readonly<Record<string, string | undefined>>

export interface Redactor {
  /** Replaces each credential in the text by [redacted:NAME], including a value that is cut off at either end of the text. */
  text(text: string): string
  /** Redacts every text of a JSON value; returns the value itself when nothing is found. Keeps property names. */
  value<V>(value: V): V
  /** Only the user's own values, for bytes whose form must not change otherwise; null: none found. */
  bytes(bytes: Buffer): { bytes: Buffer; names: string[] } | null
}

export function getRedactor(env: UserEnv): Redactor {
  return makeRedactor(collectSecrets(env))
}

interface Secret {
  name: string
  value: string
}

const secretName =
  /(^|_)(API_?KEY|KEY|TOKEN|PASS|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|COOKIE)S?$|BEARER_TOKEN|_(PWD|PAT)$|SECRET|PASSWORD|(ACCESS|PRIVATE)_?KEY$/i
const passwordName = /PASS|SECRET|PWD|CREDENTIAL|COOKIE/i
const leastLength = 8
/** Shorter values count only as a whole word, and uncut: a key such as `practice-1` is part of many harmless words. */
const wholeWordBelow = 16

/** Whether a variable of this name holds a secret, going by the name alone. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** Values of variables with a secret-like name, each once. A path names a file, so it is skipped. */
function collectSecrets(env: UserEnv): Secret[] {
  const named = new Map<string, string[]>()
  for (const [name, given = ''] of Object.entries(env)) {
    const value = given.trim()
    if (!secretName.test(name) || value.length < leastLength || isPath(value) || isPlainWord(name, value)) continue
    named.set(value, [...(named.get(value) ?? []), name])
  }
  for (const [value, name] of listProxySecrets(env)) named.set(value, [...new Set([...(named.get(value) ?? []), name])])
  const found = [...named].map(([value, names]) => ({ name: names.join(' or '), value }))
  return found.sort((a, b) => b.value.length - a.value.length)
}

/** Logins in variables for proxies, in each form in which a program shows them; a password alone only if it is long. */
function listProxySecrets(env: UserEnv): [value: string, name: string][] {
  return Object.entries(env).flatMap(([name, given = '']) => {
    const login = findProxyLogin(name, given)?.login
    if (login === undefined) return []
    const whole = [...new Set([login, decodeLogin(login)])]
    const passwords = whole.map((one) => one.slice(one.indexOf(':') + 1)).filter((one) => one.length >= leastLength)
    const encoded = Buffer.from(decodeLogin(login)).toString('base64')
    const values = [...whole.filter((one) => /.:./.test(one)), ...passwords, encoded]
    return values.map((value): [string, string] => [value, name])
  })
}

/** One word of letters, such as `practice`, is a test value: keys of providers have digits or mixed case. A password may be a word. */
function isPlainWord(name: string, value: string): boolean {
  return value.length < wholeWordBelow && /^(?:[A-Z]?[a-z]+|[A-Z]+)$/.test(value) && !passwordName.test(name)
}

/** A key in base64 may also begin with a /: it is long, without a dot, with upper and lower case letters and digits. */
function isPath(value: string): boolean {
  if (!/^[~.]{0,2}\//.test(value)) return false
  return !/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z0-9/+]{32,}={0,2}$/.test(value)
}

const forms: readonly SecretForm[] = [placeholderForm, ...keyForms, ...redactionForms]

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
  const sources = [...spelt.map(({ value }) => literalPattern(value)), ...forms.map(({ form }) => form.source)]
  const pattern = new RegExp(sources.map((source) => `(${source})`).join('|'), 'g')
  const replaced = (found: string, ...groups: unknown[]) => {
    const index = groups.findIndex((group) => group !== undefined)
    return `${keeps[index]?.exec(found)?.[0] ?? ''}${mark(names[index] ?? 'key')}`
  }
  const cuttable = secrets.filter(({ value }) => value.length >= wholeWordBelow)
  const all = cuttable.map(({ value }) => value).join('\n')
  const shortest = Math.min(leastLength, ...secrets.map(({ value }) => value.length))
  const text = (given: string) => {
    if (given.length < shortest) return given
    const clean = given.replace(pattern, replaced)
    const mayBeCut = all.includes(clean.slice(0, leastLength)) || all.includes(clean.slice(-leastLength))
    return mayBeCut ? withoutCutEnds(clean, cuttable) : clean
  }
  return { text, value: (value) => mapTexts(value, text), bytes: (bytes) => withoutValues(bytes, secrets) }
}

function mark(name: string): string {
  return `[redacted:${name}]`
}

function literalPattern(value: string): string {
  const source = value.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
  return value.length < wholeWordBelow ? `(?<![\\w-])${source}(?![\\w-])` : source
}

/** A text may be cut inside a value (the tail of a log): at least half of the value, at the very end or beginning of the text. */
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

/** Levels to search; deeper content is removed, because it may contain a key. */
const levels = 1000

/** Applies a function to every text of a JSON value; returns the value itself when nothing changes. Keeps property names. */
export function mapTexts<V>(value: V, text: (text: string) => string, left?: number): V
export function mapTexts(value: unknown, text: (text: string) => string, left = levels): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return value
  if (left === 0) return mark('what is nested too deep')
  let copy: object | null = null // a large artefact seldom changes, and is then not copied
  for (const key of Object.keys(value)) {
    const given: unknown = Reflect.get(value, key)
    const clean = mapTexts(given, text, left - 1)
    if (clean === given) continue
    copy ??= Array.isArray(value) ? [...value] : { ...value }
    Object.defineProperty(copy, key, { value: clean, enumerable: true, writable: true, configurable: true })
  }
  return copy ?? value
}

/** Text gets the mark; in other bytes a value is overwritten at the same length, so that nothing moves. */
function withoutValues(bytes: Buffer, secrets: readonly Secret[]): { bytes: Buffer; names: string[] } | null {
  const found = secrets.filter(({ value }) => bytes.includes(value))
  if (found.length === 0) return null
  const isText = !bytes.includes(0)
  let text = bytes.toString('latin1')
  for (const { name, value } of found) {
    const raw = Buffer.from(value).toString('latin1')
    text = text.replaceAll(new RegExp(literalPattern(raw), 'g'), isText ? mark(name) : '*'.repeat(raw.length))
  }
  const changed = Buffer.from(text, 'latin1')
  return changed.equals(bytes) ? null : { bytes: changed, names: found.map(({ name }) => name) }
}

export interface ProxyLogin {
  /** Without the colon; http if the value has none. */
  scheme: string
  /** As written: user:password, or one of them. */
  login: string
  /** The host and port. */
  place: string
}

/** null: no variable for a proxy, or no login in it. The login ends at the last @, as in curl. */
export function findProxyLogin(name: string, value: string): ProxyLogin | null {
  if (!/proxy$/i.test(name) || /no_?proxy$/i.test(name)) return null
  const [, scheme = 'http', login, place = ''] =
    /^(?:([a-z][a-z0-9+.-]*):\/\/)?(?:(.*)@)?([^@]*)$/is.exec(value.trim()) ?? []
  return login ? { scheme: scheme.toLowerCase(), login, place } : null
}

/** User and password as a proxy expects them: without percent-encoding, where it is valid. */
export function decodeLogin(login: string): string {
  const [user = '', ...password] = login.split(':')
  return [user, password.join(':')].map((text) => attempt(() => decodeURIComponent(text), text)).join(':')
}

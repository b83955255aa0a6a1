/** The fields of a YAML or JSON object of an AAM package, taken one by one; mistakes and what nobody took have line and column. */
import { messageOf } from '../../../../base/error.ts'
import { readYaml, type Yaml } from '../../../../base/yaml.ts'
import { isObject } from '../evals_json/fields.ts'
import { packageText } from './own.ts'

/** `at`: file:line:column. */
export interface Mistake {
  at: string
  message: string
}

/** A field that nobody took. */
export interface Unread extends Mistake {
  /** With the names above it: input.retries. */
  name: string
  value: unknown
}

export interface AamFile {
  /** False: nothing of it could be read. */
  isRead: boolean
  fields: AamFields
  mistakes: Mistake[]
  unknown(): Unread[]
}

/** Reads a file (absolute) of a package. Never throws: what keeps it from being read is its one mistake. */
export async function openPackageFile(root: string, file: string): Promise<AamFile> {
  try {
    return openAamFile(await packageText(root, file), file)
  } catch (error) {
    return unreadable({ at: file, message: messageOf(error).replace(`${file}: `, '') }, file)
  }
}

/** Reads YAML, and so JSON. Never throws: what can't be read is its one mistake. */
export function openAamFile(text: string, file: string): AamFile {
  const yaml = readYaml(text.replace(/^\uFEFF/, ''))
  if (!yaml.ok) return unreadable({ at: `${file}:${yaml.at.line}:${yaml.at.column}`, message: yaml.message }, file)
  if (!isObject(yaml.value)) return unreadable({ at: `${file}:1:1`, message: 'not a map of fields' }, file)
  const mistakes: Mistake[] = []
  const unread: (() => Unread[])[] = []
  const fields = new AamFields(yaml, { path: [], file, yaml, mistakes, unread })
  return { isRead: true, fields, mistakes, unknown: () => unread.flatMap((each) => each()) }
}

/** What they say, by their names. */
export function valuesOf(unread: readonly Unread[]): Record<string, unknown> {
  return Object.fromEntries(unread.map(({ name, value }) => [name, value]))
}

/** Of its fields nothing can be said: not that they are missing either. */
function unreadable(mistake: Mistake, file: string): AamFile {
  const fields = new AamFields(none, { path: [], file, yaml: none, mistakes: [], unread: [] })
  return { isRead: false, fields, mistakes: [mistake], unknown: () => [] }
}

type Read = Extract<Yaml, { ok: true }>
const none: Read = { ok: true, value: {}, texts: {}, at: () => ({ line: 1, column: 1 }) }

interface Place {
  path: readonly PropertyKey[]
  file: string
  yaml: Read
  mistakes: Mistake[]
  unread: (() => Unread[])[]
}

/** One object of a file. Every take marks the field as known; what does not fit is a mistake, and absent then. */
export class AamFields {
  readonly #values: Readonly<Record<string, unknown>>
  /** Every scalar as it is written: `1.0` and `yes` stay what they are. */
  readonly #written: Readonly<Record<string, unknown>>
  readonly #place: Place
  readonly #taken = new Set<string>()
  readonly #wrong = new Set<string>()

  constructor({ value, texts }: { value: unknown; texts: unknown }, place: Place) {
    this.#values = isObject(value) ? value : {}
    this.#written = isObject(texts) ? texts : {}
    this.#place = place
    place.unread.push(() => this.#unknown())
  }

  /** Adds a mistake at a field; the first says it all: what can't be read is not missing too. */
  wrong(name: string, message: string): void {
    if (this.#wrong.has(name)) return
    this.#wrong.add(name)
    this.#tell([name], `${this.#nameOf(name)} ${message}`)
  }

  /** Where a field stands: file:line:column. */
  at(name: string): string {
    return this.#where([name])
  }

  has(name: string): boolean {
    return (this.#values[name] ?? null) !== null
  }

  /** Marks fields as known without reading them. */
  known(...names: string[]): void {
    for (const name of names) this.#taken.add(name)
  }

  /** As JSON has it; null where it is absent. */
  json(name: string): unknown {
    this.#taken.add(name)
    return this.#values[name] ?? null
  }

  text(name: string): string | null {
    if (this.json(name) === null) return null
    const text = this.#written[name]
    if (typeof text === 'string') return text
    this.wrong(name, 'must be text')
    return null
  }

  texts(name: string): string[] {
    if (this.json(name) === null) return []
    const written = this.#written[name]
    if (typeof written === 'string') return [written]
    if (!Array.isArray(written)) {
      this.wrong(name, 'must be a list of texts')
      return []
    }
    return written.flatMap((item: unknown, index) => {
      if (typeof item === 'string' && item !== '') return [item]
      this.#tell([name, index], `${this.#nameOf(name)} must hold texts`)
      return []
    })
  }

  flag(name: string): boolean | null {
    const given = this.json(name)
    if (given === null || typeof given === 'boolean') return given
    this.wrong(name, 'must be true or false')
    return null
  }

  number(name: string): number | null {
    const given = this.json(name)
    if (given === null || (typeof given === 'number' && Number.isFinite(given))) return given
    this.wrong(name, 'must be a number')
    return null
  }

  /** Seconds above 0, at most a week: longer ones no timer keeps. */
  seconds(name: string): number | null {
    const given = this.number(name)
    if (given === null || (given > 0 && given <= 604_800)) return given
    this.wrong(name, given > 0 ? 'must be seconds, at most 604800 (a week)' : 'must be above 0')
    return null
  }

  textMap(name: string): Record<string, string> {
    if (this.json(name) === null) return {}
    const written = this.#written[name]
    if (!isObject(written)) {
      this.wrong(name, 'must be a map of texts')
      return {}
    }
    const made: Record<string, string> = {}
    for (const [key, text] of Object.entries(written)) {
      if (typeof text === 'string' && !text.includes('\0')) made[key] = text
      else
        this.#tell(
          [name, key],
          `${this.#nameOf(name)}.${key} must be text${typeof text === 'string' ? ' without a zero byte' : ''}`,
        )
    }
    return made
  }

  /** An object in it; one without fields where it is absent. */
  inner(name: string): AamFields {
    const value = this.json(name)
    if (value !== null && !isObject(value)) this.wrong(name, 'must be a map')
    const path = [...this.#place.path, name]
    return new AamFields({ value, texts: this.#written[name] }, { ...this.#place, path })
  }

  #unknown(): Unread[] {
    return Object.entries(this.#values).flatMap(([key, value]) => {
      const name = this.#nameOf(key)
      return this.#taken.has(key) ? [] : [{ at: this.#where([key]), message: `${name} is not read`, name, value }]
    })
  }

  #tell(path: readonly PropertyKey[], message: string): void {
    this.#place.mistakes.push({ at: this.#where(path), message })
  }

  #where(more: readonly PropertyKey[]): string {
    const { line, column } = this.#place.yaml.at([...this.#place.path, ...more])
    return `${this.#place.file}:${line}:${column}`
  }

  #nameOf(name: string): string {
    return [...this.#place.path, name].join('.')
  }
}

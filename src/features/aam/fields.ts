/** Reads the fields of a YAML or JSON object of an AAM package; mistakes and unread fields have line and column. */
import { statSync } from 'node:fs'
import path from 'node:path'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { findOwnFile } from '../../base/fs/inside_folder.ts'
import { readText } from '../../base/json/json.ts'
import { findMisspelling } from '../../base/text/did_you_mean.ts'
import { readYaml, type Yaml } from '../../base/text/yaml.ts'
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'

/** `at`: file:line:column. */
export interface FieldMistake {
  at: string
  message: string
}

export interface UnreadField extends FieldMistake {
  /** The known field that it misspells, and so the reason why the file is not used; null: none. */
  meant: string | null
  /** Full path, such as input.retries. */
  name: string
  value: unknown
}

export interface AamFile {
  /** False: the file could not be read at all. */
  isRead: boolean
  fields: AamFields
  mistakes: FieldMistake[]
  unknown(): UnreadField[]
}

/** Reads a file (absolute) of a package. Never throws: an unreadable file has one mistake. */
export async function openPackageFile(root: string, file: string): Promise<AamFile> {
  try {
    return openAamFile(await readPackageText(root, file), file)
  } catch (error) {
    return unreadable({ at: file, message: errorMessage(error).replace(`${file}: `, '') }, file)
  }
}

/** Reads YAML, and so JSON. Never throws: an unreadable text has one mistake. */
export function openAamFile(text: string, file: string): AamFile {
  const yaml = readYaml(text.replace(/^\uFEFF/, ''))
  if (!yaml.ok) return unreadable({ at: `${file}:${yaml.at.line}:${yaml.at.column}`, message: yaml.message }, file)
  if (!isJsonObject(yaml.value)) return unreadable({ at: `${file}:1:1`, message: 'not a map of fields' }, file)
  const mistakes: FieldMistake[] = []
  const unread: (() => UnreadField[])[] = []
  const fields = new AamFields(yaml, { path: [], file, yaml, mistakes, unread })
  return { isRead: true, fields, mistakes, unknown: () => unread.flatMap((each) => each()) }
}

export function toUnreadValues(unread: readonly UnreadField[]): Record<string, unknown> {
  return Object.fromEntries(unread.map(({ name, value }) => [name, value]))
}

/** Without readable fields, none is reported as missing. */
function unreadable(mistake: FieldMistake, file: string): AamFile {
  const fields = new AamFields(none, { path: [], file, yaml: none, mistakes: [], unread: [] })
  return { isRead: false, fields, mistakes: [mistake], unknown: () => [] }
}

type Read = Extract<Yaml, { ok: true }>
const none: Read = { ok: true, value: {}, texts: {}, at: () => ({ line: 1, column: 1 }) }

interface Place {
  path: readonly PropertyKey[]
  file: string
  yaml: Read
  mistakes: FieldMistake[]
  unread: (() => UnreadField[])[]
}

/** One object of a file. Each read marks the field as known; an invalid value is a mistake and counts as absent. */
export class AamFields {
  readonly #values: Readonly<Record<string, unknown>>
  /** Every scalar as written, so that `1.0` and `yes` stay as they are. */
  readonly #written: Readonly<Record<string, unknown>>
  readonly #place: Place
  readonly #taken = new Set<string>()
  readonly #wrong = new Set<string>()

  constructor({ value, texts }: { value: unknown; texts: unknown }, place: Place) {
    this.#values = isJsonObject(value) ? value : {}
    this.#written = isJsonObject(texts) ? texts : {}
    this.#place = place
    place.unread.push(() => this.#unknown())
  }

  /** Adds a mistake at a field. Only the first counts: an unreadable field is not also missing. */
  wrong(name: string, message: string): void {
    if (this.#wrong.has(name)) return
    this.#wrong.add(name)
    this.#tell([name], `${this.#nameOf(name)} ${message}`)
  }

  /** Position of a field: file:line:column. */
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
      this.#tell([name, index], `${this.#nameOf(name)} must contain only text`)
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

  /** Seconds above 0, at most a week, because timers do not support more. */
  seconds(name: string): number | null {
    const given = this.number(name)
    if (given === null || (given > 0 && given <= 604_800)) return given
    this.wrong(name, given > 0 ? 'must be seconds, at most 604800 (a week)' : 'must be above 0')
    return null
  }

  textMap(name: string): Record<string, string> {
    if (this.json(name) === null) return {}
    const written = this.#written[name]
    if (!isJsonObject(written)) {
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

  /** An inner object; without fields if it is absent. */
  inner(name: string): AamFields {
    const value = this.json(name)
    if (value !== null && !isJsonObject(value)) this.wrong(name, 'must be a map')
    const path = [...this.#place.path, name]
    return new AamFields({ value, texts: this.#written[name] }, { ...this.#place, path })
  }

  #unknown(): UnreadField[] {
    return Object.entries(this.#values).flatMap(([key, value]) => {
      if (this.#taken.has(key)) return []
      const name = this.#nameOf(key)
      const meant = findMisspelling(key, [...this.#taken])
      const hint = meant === null ? '' : ` (did you mean "${meant}"?)`
      return [{ at: this.#where([key]), message: `${name} is not read${hint}`, name, value, meant }]
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

const longest = 1024 * 1024

/** Returns the text of a file (absolute) of the package. Throws UserError if it is missing, a link leads out, or it is too large. */
export async function readPackageText(root: string, file: string): Promise<string> {
  const own = findOwnFile(root, path.relative(root, file))
  if (own === null) throw new UserError(`${file}: no such file in the package`)
  if (statSync(own).size > longest) throw new UserError(`${file}: larger than ${longest} bytes`)
  return readText(own)
}

/** Whether a path is absolute or leads out of its folder. */
export function leavesFolder(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.includes('\0') || path.split(/[\\/]/).includes('..')
}

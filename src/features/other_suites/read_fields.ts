/** Reads fields of other tools' suites. What has another form than expected, and what is not read, is named: nothing is lost silently. */
import { didYouMean, findMisspelling } from '../../base/text/did_you_mean.ts'
import { describeJsonKind } from '../../phases/1-plan/formats/evals_json/document.ts'
import {
  type FieldReader,
  isBlank,
  isHarmless,
  isJsonObject,
  openFieldReader,
  readNonEmptyText,
  type TakenField,
  takeMisspelt,
  takeSwitches,
} from '../../phases/1-plan/formats/evals_json/fields.ts'
import type { Warn } from '../../phases/1-plan/suite/loader_warnings.ts'

/** `refuse`: reports a field whose content would be lost, which keeps the case from running. `keep`: a field that only describes, by its JSON path. */
export interface FieldNotes {
  warn: Warn
  refuse(reason: string): void
  keep(at: string, value: unknown): void
}

export interface NamedItem {
  value: unknown
  /** JSON path. */
  at: string
  /** Why it cannot be read; absent: it can. */
  broken?: string | undefined
}

/** Fields that another tool has and Whetstone does not, each with what to do instead; empty: nothing. */
export type Losses = Readonly<Record<string, string>>

/** The fields of one object. A field of another form than the one asked for is refused, and counts as absent. */
export class OtherFields {
  /** As written; empty for a value that is not an object. */
  readonly object: Record<string, unknown>
  readonly isObject: boolean
  readonly at: string
  readonly notes: FieldNotes
  readonly #fields: FieldReader
  /** Names of texts, numbers and lists that were asked for and are not there or empty. */
  readonly #absent: string[] = []

  constructor(value: unknown, at: string, notes: FieldNotes) {
    this.at = at
    this.notes = notes
    this.isObject = isJsonObject(value)
    this.object = isJsonObject(value) ? value : {}
    this.#fields = openFieldReader(this.object, at)
  }

  /** The value of the first of these names; undefined: absent. */
  value(...names: string[]): unknown {
    return this.#fields.take(names)?.value
  }

  take(name: string, fits: (value: unknown) => boolean): TakenField | null {
    return this.#fields.take([name], fits)
  }

  /** Whether the field is true; absent: false. */
  flag(name: string): boolean {
    const taken = this.#fields.take([name])
    if (taken !== null && typeof taken.value !== 'boolean') this.#refuseForm(taken, 'true or false')
    return taken?.value === true
  }

  /** Text; a number counts as text. null: absent. */
  text(...names: string[]): string | null {
    const taken = this.#ask(names)
    if (taken === null) return null
    if (typeof taken.value === 'number') return String(taken.value)
    const text = typeof taken.value === 'string' && taken.value.trim() !== '' ? taken.value : null
    if (text === null) this.#refuseForm(taken, 'text')
    return text
  }

  /** Number above 0; null: absent. */
  number(...names: string[]): number | null {
    const taken = this.#ask(names)
    if (taken === null) return null
    const value = typeof taken.value === 'string' ? Number(taken.value) : taken.value
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value
    this.#refuseForm(taken, 'a number above 0')
    return null
  }

  /** Items of a list; one value that is not a list counts as its only item. */
  list(...names: string[]): NamedItem[] {
    const taken = this.#ask(names)
    if (taken === null) return []
    if (!Array.isArray(taken.value)) return [{ value: taken.value, at: taken.at }]
    return taken.value.map((value: unknown, index) => ({ value, at: `${taken.at}[${index}]` }))
  }

  /** Texts of a list, or one text. Other items are refused. */
  texts(...names: string[]): string[] {
    return this.list(...names).flatMap(({ value, at }) => {
      const text = typeof value === 'number' ? String(value) : readNonEmptyText(value)
      if (text === null) this.#refuseForm({ value, at }, 'text')
      return text === null ? [] : [text]
    })
  }

  /** Fields of an object; without any if it is absent. */
  inner(...names: string[]): OtherFields {
    const taken = this.#fields.take(names)
    if (taken !== null && !isJsonObject(taken.value)) this.#refuseForm(taken, 'an object')
    return new OtherFields(taken?.value, isJsonObject(taken?.value) ? taken.at : this.at, this.notes)
  }

  /** Each item of a list as fields; an item that is not an object is the field `short` of one. */
  items(name: string, short = ''): OtherFields[] {
    return this.list(name).map(({ value, at }) => {
      return new OtherFields(isJsonObject(value) || short === '' ? value : { [short]: value }, at, this.notes)
    })
  }

  /** What was found in a grader, rule or judge. Nothing is refused: a verdict would be lost. `what`: it, such as: a grader "text". */
  requireCriteria<T>(found: readonly T[], what: string): readonly T[] {
    const lacks = this.#absent.filter((name) => !isHarmless(name) && name !== 'weight').map((name) => `"${name}"`)
    const fix = lacks.length === 0 ? 'fill it in, or remove it' : `write ${[...new Set(lacks)].join(' or ')}`
    if (found.length === 0) this.notes.refuse(`${this.at}: ${what} gives no criterion: ${fix}`)
    return found
  }

  /** The row for the "type". A type of the tool without a row is named with the reason `why`; none, or one that is not known, is refused. */
  chooseRow<T>(rows: Readonly<Record<string, T>>, why: Readonly<Record<string, string>> = {}): T | null {
    const type = this.text('type')
    if (type !== null && Object.hasOwn(rows, type)) return rows[type] ?? null
    if (type === null) this.notes.refuse(`${this.at} is not a grader: it has no "type"`)
    else if (Object.hasOwn(why, type))
      this.notes.warn(this.at, `the grader of type "${type}" is not read: ${why[type]}`)
    else {
      const meant = findMisspelling(type, Object.keys(rows))
      const fix = meant === null ? '; write a check in an evals.json, or remove it' : ` (did you mean "${meant}"?)`
      this.notes.refuse(`${this.at}.type: "${type}" is not a known type${fix}`)
    }
    return null
  }

  unread(): TakenField[] {
    return this.#fields.rest()
  }

  /**
   * Names every field that nothing has read, and keeps one that only describes. A misspelt one is refused, and one that shapes a run or a
   * verdict. `what`: the object, such as "a task"; `known`: fields that are read; `losses`: fields that flags replace, whatever their name.
   */
  rest(what: string, known: readonly string[], losses: Losses = {}): void {
    const { warn, refuse, keep } = this.notes
    for (const [name, instead] of Object.entries(losses)) {
      const taken = this.#fields.take([name])
      if (taken !== null) warn(taken.at, `"${taken.key}" of ${what} is not read${instead === '' ? '' : `: ${instead}`}`)
    }
    for (const reason of [
      ...takeSwitches(this.#fields),
      ...takeMisspelt(this.#fields, [...known, ...Object.keys(losses)]),
    ])
      refuse(`${reason} in ${this.at}`)
    for (const { key, value, at } of this.unread()) {
      const meant = didYouMean(key, known, 1)
      if (isHarmless(key)) keep(at, value)
      else if (isShaping(key) && value !== false && !isBlank(value))
        refuse(`${at} ("${key}" of ${what}) cannot be read: ${shapingFix}`)
      else warn(at, `"${key}" of ${what} is not read${meant === null ? '' : `; ${meant}`}`)
    }
  }

  #ask(names: string[]): TakenField | null {
    const taken = this.#fields.take(names)
    if (taken === null || isEmptyList(taken.value)) this.#absent.push(names[0] ?? '')
    return taken
  }

  #refuseForm({ at, value }: NamedItem, wanted: string): void {
    this.notes.refuse(`${at} is ${describeJsonKind(value)}, not ${wanted}`)
  }
}

/** Names under which tools of any kind write what changes a run or turns a verdict round. */
const shaping: ReadonlySet<string> = new Set([
  ...[
    'setup',
    'teardown',
    'hooks',
    'before',
    'after',
    'commands',
    'git',
    'env',
    'files',
    'fixtures',
    'workdir',
    'args',
  ],
  ...['turns', 'messages', 'input', 'inputs', 'vars', 'system_prompt', 'mcp', 'mcp_servers', 'default_test'],
  ...['assert', 'assertions', 'expectations', 'not_expect', 'must_not', 'negate', 'negated', 'invert'],
])
const shapingFix = 'it changes a run or a verdict (write it in an evals.json, or remove it)'

function isShaping(key: string): boolean {
  return shaping.has(key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_'))
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** The fields of an object that several cases share. `reasons`: what is refused, for the cases that it shapes. */
export function collectReasons(
  { value, at }: NamedItem,
  notes: FieldNotes,
): { fields: OtherFields; reasons: string[] } {
  const reasons: string[] = []
  return { reasons, fields: new OtherFields(value, at, { ...notes, refuse: (reason) => reasons.push(reason) }) }
}

/** Whether a text names another skill than the one under test, whatever plugin it is written with. null: not named. */
export function isOtherSkill(name: string | null, skill: string): boolean {
  const plain = (text: string) => text.split(/[:/]/).at(-1)?.toLowerCase()
  return name !== null && plain(name) !== plain(skill)
}

/** Flags and places that stand for settings of other tools. */
export const settingLosses = {
  engine: 'choose with --engine',
  model: 'choose with --model',
  judge: 'choose with --judge',
  runs: 'choose with --runs',
  timeout: 'choose with --timeout',
  parallel: 'choose with --concurrency',
  threshold: 'every criterion passes or fails on its own; a gate holds the pass rate of a benchmark',
  sandbox: "runs use this machine and Whetstone's sandbox",
} as const

/** Reads fields of other tools' suites. What has another form than expected, and what is not read, is named: nothing is lost silently. */
import { didYouMean } from '../../../../base/text/did_you_mean.ts'
import type { Warn } from '../../suite/loader_warnings.ts'
import { describeJsonKind } from '../evals_json/document.ts'
import {
  type FieldReader,
  isHarmless,
  isJsonObject,
  openFieldReader,
  readNonEmptyText,
  type TakenField,
  takeMisspelt,
} from '../evals_json/fields.ts'

/** `refuse`: reports a field whose content would be lost, which keeps the case from running. */
export interface FieldNotes {
  warn: Warn
  refuse(reason: string): void
}

/** Text of the first of these names; null: absent, or of another form, which is refused. A number counts as text. */
export function takeOtherText(fields: FieldReader, names: readonly string[], notes: FieldNotes): string | null {
  const taken = fields.take(names)
  if (taken === null) return null
  if (typeof taken.value === 'number') return String(taken.value)
  const text = typeof taken.value === 'string' && taken.value.trim() !== '' ? taken.value : null
  if (text === null) refuseForm(taken, 'text', notes)
  return text
}

/** Number above 0; null: absent, or of another form, which is refused. */
export function takeOtherNumber(fields: FieldReader, names: readonly string[], notes: FieldNotes): number | null {
  const taken = fields.take(names)
  if (taken === null) return null
  const value = typeof taken.value === 'string' ? Number(taken.value) : taken.value
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value
  refuseForm(taken, 'a number above 0', notes)
  return null
}

/** Items of a list; one value that is not a list counts as its only item. */
export function takeOtherList(fields: FieldReader, names: readonly string[]): { value: unknown; at: string }[] {
  const taken = fields.take(names)
  if (taken === null) return []
  if (!Array.isArray(taken.value)) return [{ value: taken.value, at: taken.at }]
  return taken.value.map((value: unknown, index) => ({ value, at: `${taken.at}[${index}]` }))
}

/** Texts of a list, or one text. Other items are refused. */
export function takeOtherTexts(fields: FieldReader, names: readonly string[], notes: FieldNotes): string[] {
  return takeOtherList(fields, names).flatMap(({ value, at }) => {
    const text = typeof value === 'number' ? String(value) : readNonEmptyText(value)
    if (text === null) notes.refuse(`${at} is ${describeJsonKind(value)}, not text`)
    return text === null ? [] : [text]
  })
}

/** Fields of an object; null: absent, or of another form, which is refused. */
export function takeOtherObject(
  fields: FieldReader,
  names: readonly string[],
  notes: FieldNotes,
): { fields: FieldReader; object: Record<string, unknown> } | null {
  const taken = fields.take(names)
  if (taken === null) return null
  if (isJsonObject(taken.value)) return { fields: openFieldReader(taken.value, taken.at), object: taken.value }
  refuseForm(taken, 'an object', notes)
  return null
}

function refuseForm({ at, value }: TakenField, wanted: string, { refuse }: FieldNotes): void {
  refuse(`${at} is ${describeJsonKind(value)}, not ${wanted}`)
}

/** Fields that another tool has and Whetstone does not, each with what to do instead; empty: nothing. */
export type Losses = Readonly<Record<string, string>>

/**
 * Names every field that nothing has read. A misspelt one is refused, because its content would be lost. `what`: the object, such as
 * "a task"; `known`: fields that are read.
 */
export function nameUnread(
  fields: FieldReader,
  { what, known, losses }: { what: string; known: readonly string[]; losses: Losses },
  { warn, refuse }: FieldNotes,
): void {
  for (const [name, instead] of Object.entries(losses)) {
    const taken = fields.take([name])
    if (taken !== null) warn(taken.at, `"${taken.key}" of ${what} is not read${instead === '' ? '' : `: ${instead}`}`)
  }
  for (const reason of takeMisspelt(fields, [...known, ...Object.keys(losses)])) refuse(`${reason} in ${fields.at}`)
  for (const { key, at } of fields.rest()) {
    if (isHarmless(key)) continue
    const meant = didYouMean(key, known, 1)
    warn(at, `"${key}" of ${what} is not read${meant === null ? '' : `; ${meant}`}`)
  }
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

/** What other tools write among a case's criteria: which lists they use, and which checks. A feature reads it. */
import type { Check } from '../../../../../schemas/check.ts'
import type { FieldReader, TakenField } from './fields.ts'

/** How an object among the criteria is read. */
export type ForeignCheck =
  | { kind: 'checks'; checks: Check[]; notRead: string[] }
  /** `statement`: what a judge is asked if the item has no words of its own. */
  | { kind: 'uncertain'; why: string; statement: string | null }
  /** It can't be decided as written, such as an invalid pattern. */
  | { kind: 'mistake'; why: string }
  /** A check of another harness; a judge may still decide its statement. */
  | { kind: 'unsupported'; why: string; statement: string | null }
  /** Not a known type, so a statement like any other. */
  | { kind: 'statement' }

export interface OtherAssertions {
  lists: readonly string[]
  /** Takes those lists under the names as written, with a statement or a check for each text. */
  takeLists: (fields: FieldReader) => TakenField[]
  /** Interprets an object among the criteria. `wantsFiles`: the case asks for files, not for the answer alone. */
  readCheck: (item: Readonly<Record<string, unknown>>, wantsFiles: boolean) => ForeignCheck
}

const added = new Map<string, OtherAssertions>()

/** Adds one of a feature, by its name; again changes nothing. */
export function addOtherAssertions(more: Readonly<Record<string, OtherAssertions>>): void {
  for (const [name, one] of Object.entries(more)) added.set(name, one)
}

export function listOtherCriteria(): string[] {
  return [...added.values()].flatMap(({ lists }) => lists)
}

export function takeOtherCriteria(fields: FieldReader): TakenField[] {
  return [...added.values()].flatMap(({ takeLists }) => takeLists(fields))
}

/** As the first that knows its type reads it. */
export function readOtherCheck(item: Readonly<Record<string, unknown>>, wantsFiles: boolean): ForeignCheck {
  const read = [...added.values()].map(({ readCheck }) => readCheck(item, wantsFiles))
  return read.find(({ kind }) => kind !== 'statement') ?? { kind: 'statement' }
}

/** What the reader of another tool's suite returns: its cases in the form of evals.json, and what that form has no field for. */
import { describeJsonKind } from '../../phases/1-plan/formats/evals_json/document.ts'
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'
import type { Warn } from '../../phases/1-plan/suite/loader_warnings.ts'
import { type NamedItem, OtherFields } from './read_fields.ts'

export interface OtherCase {
  /** As evals.json would have it. */
  object: Record<string, unknown>
  /** JSON path in the file, after the name of the file if it is not the suite's own. */
  at: string
  inputs: OtherInput[]
  /** Files of the working folder: path → content. */
  texts: Record<string, string>
  /** Text added to the agent's system prompt; null: none. */
  system: string | null
  /** Why the case cannot run, besides what its object shows. */
  reasons: string[]
}

/** A file or folder that agents get in another place than its own. */
export interface OtherInput {
  /** Relative to the base of the suite. */
  from: string
  /** Relative to the working folder. */
  to: string
  /** JSON path. */
  at: string
}

export interface OtherSuite {
  /** null: not named. */
  skillName: string | null
  /** Absolute folder of the files that the suite names. */
  base: string
  cases: OtherCase[]
}

/** Where a suite is read. */
export interface OtherPlace {
  /** The suite file, absolute. */
  file: string
  /** Its folder, absolute. */
  base: string
  /** The folder of the skill, absolute. */
  root: string
  warn: Warn
}

/** A system whose suites are read here. */
export interface OtherSystem {
  /** For messages. */
  title: string
  /** What a document of it has. All must hold; the first says what it is about. */
  signs: readonly Sign[]
  /** Never throws for what a case has; a case that cannot be read is among the cases, with its reason. `fields`: of the document. */
  read(fields: OtherFields, place: OtherPlace, document: unknown): Promise<OtherSuite>
}

interface Sign {
  /** For messages, such as: a list "tasks" with an "instruction" in each. */
  words: string
  holds(document: unknown): boolean
}

/** A check in Whetstone's form, among the criteria of another tool. */
export interface OwnCheck {
  own: Record<string, unknown>
}

function isOwnCheck(item: unknown): item is OwnCheck {
  return isJsonObject(item) && 'own' in item
}

/** The criteria as fields of a case. */
export function splitCriteria(items: readonly unknown[]): { checks: unknown[]; assertions: unknown[] } {
  return {
    checks: items.filter(isOwnCheck).map(({ own }) => own),
    assertions: items.filter((item) => !isOwnCheck(item)),
  }
}

export function blankOtherCase(at: string): OtherCase {
  return { object: {}, at, inputs: [], texts: {}, system: null, reasons: [] }
}

/** Reads each item of a list as a case. `read` fills it in; an item that is not an object is a case that cannot run. */
export async function readEachCase(
  items: readonly NamedItem[],
  warn: Warn,
  read: (fields: OtherFields, one: OtherCase) => Promise<void> | void,
): Promise<OtherCase[]> {
  const cases: OtherCase[] = []
  for (const { value, at } of items) {
    const one = blankOtherCase(at)
    cases.push(one)
    const fields = new OtherFields(value, at, { warn, refuse: (reason) => one.reasons.push(reason) })
    if (fields.isObject) await read(fields, one)
    else one.reasons.push(`${at} is ${describeJsonKind(value)}, not a case`)
  }
  return cases
}

/** The object without the fields that are null, undefined, or an empty list. */
export function dropEmpty(object: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = (value: unknown) =>
    value === null || value === undefined || (Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !isEmpty(value)))
}

/** Whether the document has one of these lists with an object that has one of these fields. */
export function hasItems(document: unknown, lists: readonly string[], fields: readonly string[]): boolean {
  const isLike = (item: unknown) => isJsonObject(item) && fields.some((name) => name in item)
  return collectLists(document, lists).some((list) => list.some(isLike))
}

/** The values of these fields that are lists. */
export function collectLists(document: unknown, names: readonly string[]): unknown[][] {
  if (!isJsonObject(document)) return []
  return names.flatMap((name) => (Array.isArray(document[name]) ? [document[name]] : []))
}

export function hasField(document: unknown, names: readonly string[]): boolean {
  return isJsonObject(document) && names.some((name) => document[name] !== undefined && document[name] !== null)
}

/** Another tool's suite: what its reader returns, in the form of evals.json, and how its cases become Whetstone's own. */
import path from 'node:path'
import type { InputFile, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { type CaseAdditions, readAdditions } from '../../phases/1-plan/formats/evals_json/additions.ts'
import { readCase } from '../../phases/1-plan/formats/evals_json/case.ts'
import { describeJsonKind } from '../../phases/1-plan/formats/evals_json/document.ts'
import { emptyEnvironment } from '../../phases/1-plan/formats/evals_json/environment.ts'
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { isOutsideFolder, placeInputs } from '../../phases/1-plan/suite/input_files.ts'
import { type InspectedSuite, joinReasons, type SuiteMistake } from '../../phases/1-plan/suite/inspected_suite.ts'
import type { Warn } from '../../phases/1-plan/suite/loader_warnings.ts'
import { findLimit } from './named_text.ts'
import { type FieldNotes, type NamedItem, OtherFields } from './read_fields.ts'

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
  /** What the file says of itself; absent: nothing. */
  noted?: Record<string, unknown>
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
  skillName: string | null
  /** Absolute folder of the files that the suite names. */
  base: string
  cases: OtherCase[]
}

export interface OtherPlace {
  /** The suite file, absolute. */
  file: string
  /** Its folder, absolute. */
  base: string
  /** The folder of the skill, absolute. */
  root: string
  /** The name of the skill in that folder. */
  skill: string
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

export function isOwnCheck(item: unknown): item is OwnCheck {
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

/** Reads each item of a list as a case. `read` fills it in; an item that is broken or not an object is a case that cannot run. */
export async function readEachCase(
  items: readonly NamedItem[],
  warn: Warn,
  read: (fields: OtherFields, one: OtherCase) => Promise<void> | void,
): Promise<OtherCase[]> {
  const cases: OtherCase[] = []
  for (const { value, at, broken } of items) {
    const one = blankOtherCase(at)
    cases.push(one)
    const { kept, keep } = keepNotes(at)
    const fields = new OtherFields(value, at, { warn, keep, refuse: (reason) => one.reasons.push(reason) })
    if (broken !== undefined) one.reasons.push(broken)
    else if (fields.isObject) await read(fields, one)
    else one.reasons.push(`${at} is ${describeJsonKind(value)}, not a case`)
    if (Object.keys(kept).length > 0) one.object = { ...one.object, metadata: kept }
  }
  return cases
}

/** Notes of the author, by their JSON paths below `at`. */
export function keepNotes(at: string): { kept: Record<string, unknown>; keep: FieldNotes['keep'] } {
  const kept: Record<string, unknown> = {}
  const keep = (place: string, value: unknown) => {
    kept[place.startsWith(`${at}.`) ? place.slice(at.length + 1) : place] = value
  }
  return { kept, keep }
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

/** Never throws for what is in a case. A case with a mistake stays, with `cannot_run`. */
export async function toSuiteCases(
  { base, cases }: OtherSuite,
  { file, root, warn }: OtherPlace,
): Promise<Pick<InspectedSuite, 'places'> & Pick<Suite, 'cases'>> {
  const { additions, mistakes } = await readAdditions(cases, { root: base, warn })
  warnRepeatedKeys(cases, warn)
  const place = { file, root: base, warn, programs: null }
  const read: SuiteCase[] = []
  for (const [index, source] of cases.entries()) {
    const own: CaseAdditions = additions[index] ?? {}
    const id = { eval_id: index + 1, eval_key: null }
    const one = await readCase({ source, own, id }, place)
    const inputs = await placeOtherInputs(source, base, { file, root: findLimit(base, root), warn })
    const ofCase = mistakes.filter((mistake) => isOfCase(mistake, source)).map(({ message }) => message)
    const reasons = [...ofCase, ...source.reasons, ...inputs.reasons]
    read.push(addParts(one, source, { files: inputs.files, reasons }))
  }
  return { cases: read, places: cases.map(({ at }) => ({ file, at })) }
}

function isOfCase({ at }: SuiteMistake, one: OtherCase): boolean {
  return at === one.at || at.startsWith(`${one.at}.`)
}

function addParts(
  one: SuiteCase,
  { texts, system }: OtherCase,
  { files, reasons }: { files: InputFile[]; reasons: string[] },
): SuiteCase {
  const all = [...(one.cannot_run?.split('; ') ?? []), ...reasons]
  const placed = Object.fromEntries(Object.entries(texts).filter(([to]) => explainPlace(to) === null)) // the others are reasons
  const isPlain = Object.keys(placed).length === 0 && system === null
  const environment = {
    ...(one.environment ?? emptyEnvironment),
    ...(Object.keys(placed).length > 0 && { texts: placed }),
    ...(system !== null && { system_prompt: system }),
  }
  return {
    ...one,
    files: [...one.files, ...files],
    ...(!isPlain && { environment }),
    cannot_run: joinReasons(all),
  }
}

/** Each file at the place that the suite gives it. */
async function placeOtherInputs(
  { inputs, texts }: OtherCase,
  base: string,
  place: { file: string; root: string; warn: Warn },
): Promise<{ files: InputFile[]; reasons: string[] }> {
  const files: InputFile[] = []
  const reasons = Object.keys(texts).flatMap((to) => explainPlace(to) ?? [])
  for (const { from, to, at } of inputs) {
    const refusal = explainPlace(to)
    const inner = path.isAbsolute(from) ? from : path.relative(place.root, path.resolve(base, comeBack(from, base)))
    const found = await placeInputs([{ path: inner || '.', at }], place)
    reasons.push(...found.reasons, ...(refusal === null ? [] : [refusal]))
    if (refusal !== null) continue
    const target = path.posix.normalize(to).replace(/\/+$/, '')
    const isThere = files.some((other) => other.path === target)
    if (isThere) place.warn(at, 'the same file again; it counts once')
    else files.push(...found.files.map((one) => ({ ...one, path: target })))
  }
  return { files, reasons }
}

/** Why nothing can be put there; null: it can. */
function explainPlace(to: string): string | null {
  const isBelow = to.trim() !== '' && !path.isAbsolute(to) && !isOutsideFolder('/folder', path.resolve('/folder', to))
  const isFolderItself = path.posix.normalize(to).replace(/\/+$/, '') === '.'
  if (isBelow && !isFolderItself && !/[\\\0]/.test(to)) return null
  return `a file would be at ${JSON.stringify(to)}, which is not below the working folder`
}

function warnRepeatedKeys(cases: readonly OtherCase[], warn: Warn): void {
  const seen = new Set<unknown>()
  for (const { object, at } of cases) {
    if (object.eval_key === undefined) continue
    if (seen.has(object.eval_key)) warn(at, `id ${JSON.stringify(object.eval_key)} is already taken by another case`)
    seen.add(object.eval_key)
  }
}

/** A path that leaves the folder of the suite and comes back to it by name, as `../../tests/pdf/a.txt` of a suite in `tests/pdf`. */
function comeBack(from: string, base: string): string {
  const named = /^(?:\.\.\/)+(.*)$/.exec(path.posix.normalize(from))?.[1]
  const parts = named?.split('/') ?? []
  for (let count = parts.length - 1; count > 0; count -= 1) {
    const inner = parts.slice(count).join('/')
    if (base.endsWith(`/${parts.slice(0, count).join('/')}`) && inner !== '') return inner
  }
  return from
}

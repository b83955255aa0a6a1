/** Where the statements of a case stand in the source of its suite. */
import { readFile } from 'node:fs/promises'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/error.ts'
import { jsonPath, parseJson } from '../../base/json.ts'
import type { InspectedSuite } from '../../phases/1-plan/inspected.ts'
import { inspectSuite } from '../../phases/1-plan/load.ts'
import { checkText } from '../../phases/3-judge/checks/text.ts'

interface Place {
  file: string
  /** JSON path; null: the format has none. */
  at: string | null
}

export interface SuitePlaces {
  /** Absolute. */
  suite: string
  /** Of a statement, or (null) of the case; null: the suite has no such thing. */
  find: (evalId: number, text: string | null) => Place | null
  nameOf: (evalId: number) => string | null
}

/** Throws UserError for a suite that can't be read. */
export async function openPlaces(place: string): Promise<SuitePlaces> {
  const inspected = await inspectSuite(place)
  const sources = new Map<string, unknown>()
  for (const { file, at } of inspected.places) {
    if (at !== null && !sources.has(file)) sources.set(file, await jsonOf(file))
  }
  const indexOf = (evalId: number) => inspected.suite.cases.findIndex((one) => one.eval_id === evalId)
  return {
    suite: inspected.suite.path,
    nameOf: (evalId) => inspected.suite.cases[indexOf(evalId)]?.eval_name ?? null,
    find: (evalId, text) => placeIn(inspected, sources, { index: indexOf(evalId), text }),
  }
}

async function jsonOf(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => null)
  try {
    return text === null ? null : parseJson(text, file)
  } catch (error) {
    if (error instanceof UserError) return null
    throw error
  }
}

function placeIn(
  { suite, places }: InspectedSuite,
  sources: ReadonlyMap<string, unknown>,
  { index, text }: { index: number; text: string | null },
): Place | null {
  const one = suite.cases[index]
  const place = places[index]
  if (one === undefined || place === undefined) return null
  if (text === null || place.at === null) return text === null || has(one, text) ? place : null
  const check = one.checks.findIndex((each) => checkText(each) === text)
  if (check !== -1) return { file: place.file, at: `${place.at}.checks[${check}]` }
  if (!has(one, text)) return null
  const found = pathOf(valueAt(sources.get(place.file), place.at), text)
  return { file: place.file, at: found === null ? place.at : `${place.at}${jsonPath(found).slice(1)}` }
}

function has({ expectations, checks }: SuiteCase, text: string): boolean {
  return expectations.some((one) => one.text === text) || checks.some((one) => checkText(one) === text)
}

/** The first list item (or field) of the case that is this text, or an object that says it. */
function pathOf(value: unknown, text: string): PropertyKey[] | null {
  if (typeof value !== 'object' || value === null) return null
  const fields = Object.entries(value).filter(([name]) => name !== 'prompt')
  for (const [name, inner] of fields) {
    if (!Array.isArray(inner)) continue
    const index = inner.findIndex((item) => says(item, text))
    if (index !== -1) return [name, index]
  }
  const [field] = fields.find(([, inner]) => says(inner, text)) ?? []
  return field === undefined ? null : [field]
}

function says(item: unknown, text: string): boolean {
  if (typeof item === 'string') return item.trim() === text
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  return Object.values(item).some((value) => typeof value === 'string' && value.trim() === text)
}

/** `at` as loaders write it: $, .name, [3]. */
function valueAt(value: unknown, at: string): unknown {
  const keys = [...at.matchAll(/\.([\w$]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? index ?? '')
  return keys.reduce<unknown>((inner, key) => {
    if (typeof inner !== 'object' || inner === null) return undefined
    return Object.entries(inner).find(([name]) => name === key)?.[1]
  }, value)
}

/** Finds where the statements of a case are in the source of its suite. */
import { readFile } from 'node:fs/promises'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { formatJsonPath, parseJson } from '../../../base/json/json.ts'
import type { InspectedSuite } from '../../../phases/1-plan/suite/inspected_suite.ts'
import { inspectSuite } from '../../../phases/1-plan/suite/load_suite.ts'
import { checkText } from '../../../phases/3-judge/checks/check_text.ts'

interface Place {
  file: string
  /** JSON path; null: the format has none. */
  at: string | null
}

export interface SuitePlaces {
  /** Absolute. */
  suite: string
  /** The place of a statement, or of the case (text null); null: not in the suite. */
  find: (evalId: number, text: string | null) => Place | null
  nameOf: (evalId: number) => string | null
}

/** Throws UserError for a suite that can't be read. */
export async function openPlaces(place: string): Promise<SuitePlaces> {
  const inspected = await inspectSuite(place)
  const sources = new Map<string, unknown>()
  for (const { file, at } of inspected.places) {
    if (at !== null && !sources.has(file)) sources.set(file, await readSourceJson(file))
  }
  const indexOf = (evalId: number) => inspected.suite.cases.findIndex((one) => one.eval_id === evalId)
  return {
    suite: inspected.suite.path,
    nameOf: (evalId) => inspected.suite.cases[indexOf(evalId)]?.eval_name ?? null,
    find: (evalId, text) => locateStatement(inspected, sources, { index: indexOf(evalId), text }),
  }
}

async function readSourceJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => null)
  try {
    return text === null ? null : parseJson(text, file)
  } catch (error) {
    if (error instanceof UserError) return null
    throw error
  }
}

function locateStatement(
  { suite, places }: InspectedSuite,
  sources: ReadonlyMap<string, unknown>,
  { index, text }: { index: number; text: string | null },
): Place | null {
  const one = suite.cases[index]
  const place = places[index]
  if (one === undefined || place === undefined) return null
  if (text === null || place.at === null) return text === null || hasStatement(one, text) ? place : null
  const check = one.checks.findIndex((each) => checkText(each) === text)
  if (check !== -1) return { file: place.file, at: `${place.at}.checks[${check}]` }
  if (!hasStatement(one, text)) return null
  const found = findTextPath(readValueAtPath(sources.get(place.file), place.at), text)
  return { file: place.file, at: found === null ? place.at : `${place.at}${formatJsonPath(found).slice(1)}` }
}

function hasStatement({ expectations, checks }: SuiteCase, text: string): boolean {
  return expectations.some((one) => one.text === text) || checks.some((one) => checkText(one) === text)
}

/** The first list item or field in the case that equals this text, or an object that contains it. */
function findTextPath(value: unknown, text: string): PropertyKey[] | null {
  if (typeof value !== 'object' || value === null) return null
  const fields = Object.entries(value).filter(([name]) => name !== 'prompt')
  for (const [name, inner] of fields) {
    if (!Array.isArray(inner)) continue
    const index = inner.findIndex((item) => matchesText(item, text))
    if (index !== -1) return [name, index]
  }
  const [field] = fields.find(([, inner]) => matchesText(inner, text)) ?? []
  return field === undefined ? null : [field]
}

function matchesText(item: unknown, text: string): boolean {
  if (typeof item === 'string') return item.trim() === text
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  return Object.values(item).some((value) => typeof value === 'string' && value.trim() === text)
}

/** `at` in the loaders' syntax: $, .name, [3]. */
function readValueAtPath(value: unknown, at: string): unknown {
  const keys = [...at.matchAll(/\.([\w$]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? index ?? '')
  return keys.reduce<unknown>((inner, key) => {
    if (typeof inner !== 'object' || inner === null) return undefined
    return Object.entries(inner).find(([name]) => name === key)?.[1]
  }, value)
}

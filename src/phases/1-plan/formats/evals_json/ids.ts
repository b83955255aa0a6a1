/** Assigns integer ids to cases whose ids are integers, strings, missing or duplicate. */
import type { Warn } from '../../suite/loader_warnings.ts'
import type { CaseSource } from './document.ts'
import { idNames, openFieldReader, type TakenField } from './fields.ts'

export interface CaseId {
  eval_id: number
  /** The source's own id if it is not that integer. */
  eval_key: string | null
}

/** The first case with an integer keeps it; the others get the lowest free integers from 1, in file order. */
export function assignIds(cases: readonly CaseSource[], warn: Warn): CaseId[] {
  const sources = cases.map(({ object, at }) => openFieldReader(object, at).take(idNames))
  const owners = new Map<number, number>()
  for (const [index, source] of sources.entries()) {
    const wanted = parseIntegerId(source?.value)
    if (wanted !== null && !owners.has(wanted)) owners.set(wanted, index)
  }
  const free = freeIntegers(new Set(owners.keys()))
  return sources.map((source, index) => {
    const wanted = parseIntegerId(source?.value)
    const keeps = wanted !== null && owners.get(wanted) === index
    const eval_id = keeps ? wanted : free()
    warnAssignedId({ source, at: cases[index]?.at ?? '$', keeps }, warn)
    return { eval_id, eval_key: readCaseKey(source, eval_id) }
  })
}

/** A whole number, also written as text ("3"), so that "3" never becomes case 1. */
function parseIntegerId(value: unknown): number | null {
  const number = typeof value === 'string' && /^(0|[1-9]\d*)$/.test(value.trim()) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number + 0 : null
}

function readCaseKey(source: TakenField | null, evalId: number): string | null {
  if (source === null || source.value === evalId) return null
  const text = typeof source.value === 'string' ? source.value.trim() : JSON.stringify(source.value)
  return text === '' ? null : text
}

function warnAssignedId(
  { source, at, keeps }: { source: TakenField | null; at: string; keeps: boolean },
  warn: Warn,
): void {
  if (source === null) warn(at, 'no id; one is assigned')
  else if (!keeps) {
    const isInteger = parseIntegerId(source.value) !== null
    const why = isInteger ? `id ${JSON.stringify(source.value)} is already taken` : 'the id is not a whole number'
    warn(source.at, `${why}; one is assigned, its own is kept as eval_key`)
  } else if (typeof source.value === 'string')
    warn(source.at, 'a whole number written as text; it is read as the number')
  if (source !== null && source.key !== idNames[0]) warn(source.at, `"${source.key}" is read as "id"`)
}

function freeIntegers(taken: Set<number>): () => number {
  let next = 0
  return () => {
    do next += 1
    while (taken.has(next))
    return next
  }
}

/** Reads lists of cases that other tools write as YAML in the manner of evals.json, in groups or not. */

import { isCaseDocument, openDocument } from '../evals_json/document.ts'
import { isJsonObject, readNonEmptyText } from '../evals_json/fields.ts'
import { promptNames } from '../evals_json/names.ts'
import { blankOtherCase, type OtherSystem } from './other_suite.ts'

export const caseList: OtherSystem = {
  title: 'a list of cases',
  signs: [
    {
      words:
        'a list "evals", "cases" or "tests" of objects with a "prompt", one such object, or "suites" of such lists',
      holds: (document) => isList(flattenSuites(document)),
    },
  ],
  read(document, { file, root, warn }) {
    const opened = openDocument(flattenSuites(document), file, warn)
    if (opened.sandbox !== undefined) warn('$.sandbox', '"sandbox" of the file is not read: write an evals.json')
    for (const { at, message } of opened.mistakes) warn(at, `${message}; it is not read`)
    const cases = opened.cases.map(({ object, at }) => ({ ...blankOtherCase(at), object: nameCase(object) }))
    return Promise.resolve({ skillName: opened.skillName, base: root, cases })
  },
}

function isList(document: unknown): boolean {
  return isCaseDocument(document) || isAsking(document) || (Array.isArray(document) && document.some(isAsking))
}

function isAsking(item: unknown): boolean {
  return isJsonObject(item) && promptNames.some((name) => readNonEmptyText(item[name]) !== null)
}

/** Groups of cases, at any depth, as one list. The name of a group is in the category of each of its cases. */
function flattenSuites(document: unknown): unknown {
  if (!isJsonObject(document) || !Array.isArray(document.suites)) return document
  const { suites, ...rest } = document
  return { ...rest, evals: [...listOf(document), ...suites.flatMap((group) => collect(group, 0))] }
}

function collect(group: unknown, depth: number): unknown[] {
  if (!isJsonObject(group) || depth > 20) return [group]
  const inner = Array.isArray(group.suites) ? group.suites.flatMap((one) => collect(one, depth + 1)) : []
  const own = listOf(group)
  if (own.length + inner.length === 0) return [group]
  const category = readNonEmptyText(group.name) ?? readNonEmptyText(group.id)
  return [...own, ...inner].map((one) => (isJsonObject(one) && category !== null ? { category, ...one } : one))
}

function listOf(group: Record<string, unknown>): unknown[] {
  const list = ['evals', 'cases', 'test_cases', 'tests'].map((name) => group[name]).find(Array.isArray)
  return Array.isArray(list) ? list : []
}

/** An id that is not a number is the key of the case, and its name if it has none. */
function nameCase(object: Record<string, unknown>): Record<string, unknown> {
  const { id } = object
  return typeof id === 'string' && object.eval_key === undefined ? { eval_key: id, ...object } : object
}

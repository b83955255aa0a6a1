/** Reads lists of cases that other tools write as YAML in the manner of evals.json, in groups or not. */

import { isCaseDocument, openDocument } from '../evals_json/document.ts'
import { isJsonObject, readNonEmptyText } from '../evals_json/fields.ts'
import { flattenSuites } from '../evals_json/foreign/nested_suites.ts'
import { promptNames } from '../evals_json/names.ts'
import { blankOtherCase, type OtherSystem } from './other_suite.ts'

export const caseList: OtherSystem = {
  title: 'a list of cases',
  signs: [
    {
      words:
        'a list "evals", "cases" or "tests" of objects with a "prompt", one such object, or "suites" of such lists',
      holds: (document) => isList(flattenSuites(document).document),
    },
  ],
  read(document, { file, root, warn }) {
    const opened = openDocument(document, file, warn)
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

/** An id that is not a number is the key of the case, and its name if it has none. */
function nameCase(object: Record<string, unknown>): Record<string, unknown> {
  const { id } = object
  return typeof id === 'string' && object.eval_key === undefined ? { eval_key: id, ...object } : object
}

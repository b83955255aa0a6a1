/** Makes one list of cases that a file has in groups: "suites" of lists, at any depth. */
import type { Warn } from '../../../suite/loader_warnings.ts'
import { isHarmless, isJsonObject, readNonEmptyText } from '../fields.ts'

const listNames = ['evals', 'cases', 'test_cases', 'tests']
/** Fields of a group that each of its cases gets. */
const sharedNames = ['environment', 'setup', 'teardown', 'env', 'rubric']

/** The name of a group is the category of its cases. A group without cases stays an item of the list. A document without groups is unchanged. */
export function flattenSuites(document: unknown, warn: Warn = () => {}): unknown {
  if (!isJsonObject(document) || !Array.isArray(document.suites)) return document
  const { suites, ...rest } = document
  const [own, others] = splitList(rest)
  const inner = suites.flatMap((group: unknown, index) => collect(group, `$.suites[${index}]`, warn))
  return { ...others, evals: [...own, ...inner] }
}

function collect(group: unknown, at: string, warn: Warn): unknown[] {
  if (!isJsonObject(group) || at.length > 1000) return [group]
  const { suites, ...rest } = group
  const [own, others] = splitList(rest)
  const groups: unknown[] = Array.isArray(suites) ? suites : []
  const cases = [...own, ...groups.flatMap((one, index) => collect(one, `${at}.suites[${index}]`, warn))]
  if (cases.length === 0) return [group]
  const category = readNonEmptyText(group.name) ?? readNonEmptyText(group.id)
  const shared: Record<string, unknown> = category === null ? {} : { category }
  for (const [key, value] of Object.entries(others)) {
    if (sharedNames.includes(key)) shared[key] = value
    else if (key !== 'name' && key !== 'id' && !isHarmless(key)) warn(`${at}.${key}`, `"${key}" of a group is not read`)
  }
  return cases.map((one) => (isJsonObject(one) ? { ...shared, ...one } : one))
}

/** The list of cases, and the other fields. */
function splitList(group: Record<string, unknown>): [unknown[], Record<string, unknown>] {
  const name = listNames.find((one) => Array.isArray(group[one]))
  if (name === undefined) return [[], group]
  const { [name]: list, ...others } = group
  return [Array.isArray(list) ? list : [], others]
}

/** Makes one list of cases that a file has in groups: "suites" of lists, at any depth. */
import type { Warn } from '../../suite/loader_warnings.ts'
import { isHarmless, isJsonObject, readNonEmptyText, switchNames } from './fields.ts'

export const caseListNames = ['evals', 'cases', 'test_cases', 'tests']
/** Fields of a group that each of its cases gets. */
const sharedNames = ['environment', 'setup', 'teardown', 'env', 'rubric', ...switchNames]

/** `places`: the JSON path of each of its "evals" in the document as written; null: it has no groups and is unchanged. */
interface FlatDocument {
  document: unknown
  places: string[] | null
}

interface GroupItem {
  item: unknown
  at: string
}

/** The name of a group is the category of its cases. A group without cases stays an item of the list. */
export function flattenSuites(document: unknown, warn: Warn = () => {}): FlatDocument {
  if (!isJsonObject(document) || !Array.isArray(document.suites)) return { document, places: null }
  const { suites, ...rest } = document
  const [own, others] = splitList(rest, '$')
  const inner = suites.flatMap((group: unknown, index) => collect(group, `$.suites[${index}]`, warn))
  const all = [...own, ...inner]
  return { document: { ...others, evals: all.map(({ item }) => item) }, places: all.map(({ at }) => at) }
}

function collect(group: unknown, at: string, warn: Warn): GroupItem[] {
  if (!isJsonObject(group) || at.length > 1000) return [{ item: group, at }]
  const { suites, ...rest } = group
  const [own, others] = splitList(rest, at)
  const groups: unknown[] = Array.isArray(suites) ? suites : []
  const cases = [...own, ...groups.flatMap((one, index) => collect(one, `${at}.suites[${index}]`, warn))]
  if (cases.length === 0) return [{ item: group, at }]
  const category = readNonEmptyText(group.name) ?? readNonEmptyText(group.id)
  const shared: Record<string, unknown> = category === null ? {} : { category }
  for (const [key, value] of Object.entries(others)) {
    if (sharedNames.includes(key)) shared[key] = value
    else if (key !== 'name' && key !== 'id' && !isHarmless(key)) warn(`${at}.${key}`, `"${key}" of a group is not read`)
  }
  return cases.map((one) => (isJsonObject(one.item) ? { ...one, item: { ...shared, ...one.item } } : one))
}

/** The list of cases, and the other fields. */
function splitList(group: Record<string, unknown>, at: string): [GroupItem[], Record<string, unknown>] {
  const name = caseListNames.find((one) => Array.isArray(group[one]))
  if (name === undefined) return [[], group]
  const { [name]: list, ...others } = group
  const items: unknown[] = Array.isArray(list) ? list : []
  return [items.map((item, index) => ({ item, at: `${at}.${name}[${index}]` })), others]
}

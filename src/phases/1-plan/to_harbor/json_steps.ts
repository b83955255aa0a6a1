/** Splits a JSONPath query into steps that a short program can follow. */
import { jsonpath } from 'json-p3'

/** A member's name, an element's index (from the end if negative), or null for all of them. */
export type JsonStep = string | number | null

/** null: the query has filters, slices, several selectors or `..`. */
export function splitJsonPath(query: string): JsonStep[] | null {
  const steps: JsonStep[] = []
  for (const segment of jsonpath.compile(query).segments) {
    const [selector, ...more] = segment.selectors
    if (selector === undefined || more.length > 0 || segment.toString().startsWith('..')) return null
    if ('name' in selector && typeof selector.name === 'string') steps.push(selector.name)
    else if ('index' in selector && typeof selector.index === 'number') steps.push(selector.index)
    else if (selector.toString() === '*') steps.push(null)
    else return null
  }
  return steps
}

/** Quotes that evidence says are not there: where the same words stand is no proof of it. */
import type { Part } from './quotes.ts'

/** What stands behind such a quote: `"x" is not in the answer`. */
const behind = [
  /^[\s,]*(?:is|are|was|were)(?: not|n['’]t) (?:in|on|among|found|there|present|anywhere|part of)\b/i,
  /^[\s,]*(?:is|are|was|were) (?:nowhere|missing|absent|never (?:mentioned|named|said|shown|listed))\b/i,
  /^[\s,]*(?:does|do|did)(?: not|n['’]t) (?:appear|occur|stand|exist)\b/i,
  /^[\s,]*(?:(?:never|nowhere) (?:appear|occur|stand)s?|(?:appears?|occurs?|stands?) nowhere)\b/i,
  /^[\s,]*(?:not|(?:cannot|can['’]t|could not|couldn['’]t) be) found\b/i,
]

/** What stands before it: `does not contain "x"`, `has no "x"`, `"y", not "x"`. */
const before = [
  /\b(?:no|nor|neither|without|lacks?|missing|not found:)(?: (?:word|text|phrase|name|mention of))?\s*$/i,
  /[,;] not\s*$/i,
  /\b(?:does|do|did)(?: not|n['’]t) (?:contain|mention|say|include|have|name|list|state|show)(?: the)?(?: (?:word|words|text|phrase|name))?\s*$/i,
  /\b(?:never|nothing|nobody) (?:contain|mention|say|include|name|list|state|show)(?:s|ed)?\s*$/i,
]

/** Between quotes of which the same is said. */
const joint = /^\s*(?:,|(?:,\s*)?(?:and|or|nor))\s*$/i

/** `report.md:3: …`: what follows is a line that is there, whatever it says itself. */
const line = /^[^\n]{1,200}:\d+: /

/** Indices of the parts that quote what is not there. */
export function deniedIn(parts: readonly Part[]): ReadonlySet<number> {
  const denied = new Set<number>()
  if (line.test(textAt(parts, 0))) return denied
  for (const group of groupsIn(parts)) {
    const [head, tail] = [textAt(parts, (group[0] ?? 0) - 1), textAt(parts, (group.at(-1) ?? 0) + 1)]
    if (!before.some((one) => one.test(head)) && !behind.some((one) => one.test(tail))) continue
    for (const at of group) denied.add(at)
  }
  return denied
}

/** Quotes one after the other with nothing but a comma, "and" or "or" between them. */
function groupsIn(parts: readonly Part[]): number[][] {
  const groups: number[][] = []
  for (const [at, { quote }] of parts.entries()) {
    if (quote === null) continue
    const last = groups.at(-1)
    if (last?.at(-1) === at - 2 && joint.test(textAt(parts, at - 1))) last.push(at)
    else groups.push([at])
  }
  return groups
}

/** What is said there outside of quotes. */
function textAt(parts: readonly Part[], at: number): string {
  const part = parts[at]
  return part === undefined || part.quote !== null ? '' : part.text
}

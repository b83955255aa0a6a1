/** Finds quotes that the evidence calls missing: the same words elsewhere do not prove it. */
import type { EvidencePart } from './quotes.ts'

/** The text after such a quote: `"x" is not in the answer`. */
const deniedAfter = [
  /^[\s,]*(?:is|are|was|were)(?: not|n['’]t) (?:in|on|among|found|there|present|anywhere|part of)\b/i,
  /^[\s,]*(?:is|are|was|were) (?:nowhere|missing|absent|never (?:mentioned|named|said|shown|listed))\b/i,
  /^[\s,]*(?:does|do|did)(?: not|n['’]t) (?:appear|occur|stand|exist)\b/i,
  /^[\s,]*(?:(?:never|nowhere) (?:appear|occur|stand)s?|(?:appears?|occurs?|stands?) nowhere)\b/i,
  /^[\s,]*(?:not|(?:cannot|can['’]t|could not|couldn['’]t) be) found\b/i,
]

/** The text before it: `does not contain "x"`, `has no "x"`, `"y", not "x"`. */
const deniedBefore = [
  /\b(?:no|nor|neither|without|lacks?|missing|not found:)(?: (?:word|text|phrase|name|mention of))?\s*$/i,
  /[,;] not\s*$/i,
  /\b(?:does|do|did)(?: not|n['’]t) (?:contain|mention|say|include|have|name|list|state|show)(?: the)?(?: (?:word|words|text|phrase|name))?\s*$/i,
  /\b(?:never|nothing|nobody) (?:contain|mention|say|include|name|list|state|show)(?:s|ed)?\s*$/i,
]

/** The text between quotes that share a denial. */
const joint = /^\s*(?:,|(?:,\s*)?(?:and|or|nor))\s*$/i

/** `report.md:3: …`: what follows is an existing line, whatever it says. */
const line = /^[^\n]{1,200}:\d+: /

/** Indices of the parts that quote missing text. */
export function findDeniedQuotes(parts: readonly EvidencePart[]): ReadonlySet<number> {
  const denied = new Set<number>()
  if (line.test(unquotedText(parts, 0))) return denied
  for (const group of groupQuotes(parts)) {
    const [head, tail] = [unquotedText(parts, (group[0] ?? 0) - 1), unquotedText(parts, (group.at(-1) ?? 0) + 1)]
    if (!deniedBefore.some((one) => one.test(head)) && !deniedAfter.some((one) => one.test(tail))) continue
    for (const at of group) denied.add(at)
  }
  return denied
}

/** Quotes in a row with only a comma, "and" or "or" between them. */
function groupQuotes(parts: readonly EvidencePart[]): number[][] {
  const groups: number[][] = []
  for (const [at, { quote }] of parts.entries()) {
    if (quote === null) continue
    const last = groups.at(-1)
    if (last?.at(-1) === at - 2 && joint.test(unquotedText(parts, at - 1))) last.push(at)
    else groups.push([at])
  }
  return groups
}

/** The text of a part that is not a quote, else ''. */
function unquotedText(parts: readonly EvidencePart[], at: number): string {
  const part = parts[at]
  return part === undefined || part.quote !== null ? '' : part.text
}

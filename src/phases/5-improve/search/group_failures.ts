/** Gives each proposer of a round another group of failures to look at first. */

export interface FailedCase {
  evalId: number
  /** The kind of failure, such as "the skill was not read". */
  kind: string
  /** Texts of the expectations that failed. */
  failed: readonly string[]
}

const textChars = 120

/** One text per proposer. Cases that fail in the same way are in the same group; with fewer groups than proposers, groups repeat. */
export function groupFailures(cases: readonly FailedCase[], proposers: number): string[] {
  if (cases.length === 0) return Array.from({ length: proposers }, () => '')
  const sorted = cases.toSorted((a, b) => compare(keyOf(a), keyOf(b)) || a.evalId - b.evalId)
  const count = Math.min(proposers, sorted.length)
  const groups = Array.from({ length: count }, (_, at) =>
    sorted.slice(Math.floor((at * sorted.length) / count), Math.floor(((at + 1) * sorted.length) / count)),
  )
  return Array.from({ length: proposers }, (_, at) => describeGroup(groups[at % count] ?? []))
}

function keyOf({ kind, failed }: FailedCase): string {
  return `${kind} ${failed[0] ?? ''}`
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function describeGroup(group: readonly FailedCase[]): string {
  const parts = group.map(({ evalId, kind, failed }) => {
    const [first = ''] = failed
    return `case-${evalId} (${kind}${first === '' ? '' : `: ${first.replace(/\s+/g, ' ').slice(0, textChars)}`})`
  })
  return parts.join('; ')
}

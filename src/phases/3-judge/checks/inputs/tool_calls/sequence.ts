/** Compares the sequence of tool calls with the entries of a check. */

/** One row per call: whether each entry of the check matches it. */
export type MatchTable = readonly (readonly boolean[])[]

/** The number of leading entries that occur in this order, other calls between them. */
export function countInOrder(table: MatchTable, entries: number): number {
  let next = 0
  for (const row of table) {
    if (next < entries && row[next] === true) next += 1
  }
  return next
}

/** Whether every call matches an entry after that of the call before it: the calls can be a part of the whole list. */
export function isPartOfList(table: MatchTable, entries: number): boolean {
  let next = 0
  for (const row of table) {
    while (next < entries && row[next] !== true) next += 1
    if (next >= entries) return false
    next += 1
  }
  return true
}

/** Whether the calls are the entries, one by one. */
export function isWholeList(table: MatchTable, entries: number): boolean {
  return table.length === entries && table.every((row, index) => row[index] === true)
}

/** The position of each entry's first call; -1: none. */
export function findFirstCalls(table: MatchTable, entries: number): number[] {
  return Array.from({ length: entries }, (_, entry) => table.findIndex((row) => row[entry] === true))
}

/**
 * Entries that get no call of their own (a maximum matching): entries may overlap, such as * and Bash,
 * so an entry may have to pass its call on to another.
 */
export function findUnmetEntries(table: MatchTable, entries: number): number[] {
  const owners = new Map<number, number>()
  const claim = (entry: number, asked: Set<number>): boolean => {
    for (const [call, row] of table.entries()) {
      if (row[entry] !== true || asked.has(call)) continue
      asked.add(call)
      const owner = owners.get(call)
      if (owner !== undefined && !claim(owner, asked)) continue
      owners.set(call, entry)
      return true
    }
    return false
  }
  return Array.from({ length: entries }, (_, entry) => entry).filter((entry) => !claim(entry, new Set()))
}

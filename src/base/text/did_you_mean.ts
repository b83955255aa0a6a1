/** Finds the known words closest to a mistyped one. */

/** At most `limit` known words near the given one (by edits, or because one begins with the other), nearest first. */
export function findNearest(word: string, known: readonly string[], limit = 3): string[] {
  const given = word.toLowerCase()
  return known
    .map((one) => ({ one, distance: wordDistance(given, one.toLowerCase()) }))
    .filter(({ one, distance }) => distance <= Math.max(2, Math.floor(one.length / 3)) && distance < one.length)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ one }) => one)
}

/** `did you mean "a" or "b"?`; null: no known word is near. */
export function didYouMean(word: string, known: readonly string[], limit = 3): string | null {
  const near = findNearest(word, known, limit).filter((one) => one !== word)
  return near.length === 0 ? null : `did you mean ${near.map((one) => `"${one}"`).join(' or ')}?`
}

/** A hint for a word outside a closed set: the nearest ones, else all. */
export function suggestChoice(word: string, known: readonly string[]): string {
  if (known.length === 0) return 'remove it: there is nothing to choose from'
  const choices = known.length === 1 ? `"${known[0]}"` : `one of ${known.join(', ')}`
  return didYouMean(word, known) ?? `expected ${choices}`
}

/** The known word for a misspelling: at most two edits (one in a short word) or wrong capitals; null: none, or the word itself is known. */
export function findMisspelling(word: string, known: readonly string[]): string | null {
  if (known.includes(word)) return null
  const given = word.toLowerCase()
  const [meant] = known
    .map((one) => ({ one, distance: edits(given, one.toLowerCase()) }))
    .filter(({ one, distance }) => distance <= (Math.max(given.length, one.length) < 6 ? 1 : 2))
    .sort((a, b) => a.distance - b.distance)
  return meant?.one ?? null
}

function wordDistance(a: string, b: string): number {
  if (a.length > 1 && (b.startsWith(a) || a.startsWith(b))) return 1
  return edits(a, b)
}

/** Levenshtein distance, row by row, where swapping two neighbours counts as one edit (optimal string alignment). */
function edits(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      const swapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j] ? (before[j - 1] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}

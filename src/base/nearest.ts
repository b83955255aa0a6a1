/** Which known words a mistyped one may have meant. */

/** At most `limit` of the known words that are near the given one (by edits, or because one begins with the other), nearest first. */
export function nearest(word: string, known: readonly string[], limit = 3): string[] {
  const given = word.toLowerCase()
  return known
    .map((one) => ({ one, distance: distanceOf(given, one.toLowerCase()) }))
    .filter(({ one, distance }) => distance <= Math.max(2, Math.floor(one.length / 3)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ one }) => one)
}

function distanceOf(a: string, b: string): number {
  if (a.length > 1 && (b.startsWith(a) || a.startsWith(b))) return 1
  return edits(a, b)
}

/** Levenshtein's distance, row by row. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

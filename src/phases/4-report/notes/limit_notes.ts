/** How many notes a benchmark has at most, and what is shown of the notes of two. */

export const mostNotes = 6

/** Notes of two benchmarks: three of each, or more of one where the other has fewer. */
export function limitNotesOfTwo(a: readonly string[], b: readonly string[]): string[] {
  const ofB = b.slice(0, Math.max(mostNotes / 2, mostNotes - a.length))
  return [...a.slice(0, mostNotes - ofB.length), ...ofB]
}

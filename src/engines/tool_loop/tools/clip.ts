/** Keeps long tool output within bounds: its head and its tail, and how much is missing. */

/** Characters of one tool result. */
const resultLimit = 30_000

/** The text itself, or its head and tail with a line between them that says how many characters are left out. */
export function clip(text: string, limit = resultLimit): string {
  if (text.length <= limit) return text
  const half = Math.floor(limit / 2)
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters left out …\n${text.slice(-half)}`
}

/** Shortens long tool output to its head and tail, and says how much is missing. */

/** The most characters of one tool result. */
const resultLimit = 30_000

/** The text itself, or its head and tail with a line between them that says how many characters are left out. */
export function clipOutput(text: string, limit = resultLimit): string {
  if (text.length <= limit) return text
  const half = Math.floor(limit / 2)
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters left out …\n${text.slice(-half)}`
}

/** JSON without characters that act on a terminal or reverse the text around them, and whether it is nested too deep to be read. */

/** DEL, C1 and bidi controls, which JSON.stringify does not escape. In JSON they occur only in strings and keys. */
const raw = /[\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/** JSON.stringify with those characters as \uXXXX; parsing gives the same value. `indent`: spaces per level; absent: one line. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(raw, codeUnit)
}

function codeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Text as it is, anything else as indented JSON. */
export function textOrJson(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

/** Maximum levels of lists and objects. */
const maxDepth = 200

export const tooDeepText = `nested deeper than ${maxDepth} levels`

export function isTooDeep(value: unknown, left = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (left === 0) return true
  return (Array.isArray(value) ? value : Object.values(value)).some((inner: unknown) => isTooDeep(inner, left - 1))
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

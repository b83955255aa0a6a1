/** Limits the nesting of a JSON value: recursive code (zod, JSON.stringify, our own) overflows the stack on deeper ones. */

/** Maximum levels of lists and objects. */
const maxDepth = 200

/** The error text for a deeper value. */
export const tooDeepText = `nested deeper than ${maxDepth} levels`

export function isTooDeep(value: unknown, left = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (left === 0) return true
  return (Array.isArray(value) ? value : Object.values(value)).some((inner: unknown) => isTooDeep(inner, left - 1))
}

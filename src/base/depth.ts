/** How deep a JSON value is nested: what goes through one level by level (zod, JSON.stringify, we ourselves) runs out of stack in one without end. */

/** Levels of lists and objects that a value may have. */
const most = 200

/** What is said of a value that has more. */
export const tooDeep = `nested deeper than ${most} levels`

/** Whether a value is nested too deep to be gone through. */
export function isTooDeep(value: unknown, left = most): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (left === 0) return true
  return (Array.isArray(value) ? value : Object.values(value)).some((inner: unknown) => isTooDeep(inner, left - 1))
}

/** Whether a JSON text has so few brackets that nothing in it can be too deep: found without going through it. */
export function isSurelyFlat(text: string): boolean {
  let count = 0
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1
      if (count > most) return false
    }
  }
  return true
}

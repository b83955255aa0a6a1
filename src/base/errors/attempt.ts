/** Takes any failure of a small step as a plain answer. */

/** What `step` returns; `otherwise` when it throws, whatever it throws. */
export function attempt<T, O>(step: () => T, otherwise: O): T | O {
  try {
    return step()
  } catch {
    return otherwise
  }
}

/** Makes the body of a function of JavaScript that a suite has as text. */

/**
 * Returns the body of a function with `output` and `context`. An expression is returned, also one after declarations that end with a
 * semicolon; other code stays as it is and returns by itself. null: it is not JavaScript. Nothing is run.
 */
export function toFunctionBody(code: string): string | null {
  const text = code.trim().replace(/;+\s*$/, '')
  const ends = [...text.matchAll(/;/g)].map(({ index }) => index + 1).reverse()
  const lastReturned = ends.map((end) => `${text.slice(0, end)} return (${text.slice(end)}\n)`)
  return [`return (${text}\n)`, ...lastReturned, code].find(compiles) ?? null
}

const asyncFunction: FunctionConstructor = Object.getPrototypeOf(async () => undefined).constructor

function compiles(body: string): boolean {
  try {
    Reflect.construct(asyncFunction, ['output', 'context', body])
    return true
  } catch {
    return false
  }
}

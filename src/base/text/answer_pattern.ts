/** Regular expressions of suites: JavaScript's, and flags in front such as (?i), as Python and Rust write them. */

/** Throws SyntaxError. */
export function compileAnswerPattern(source: string): RegExp {
  const [whole = '', flags = ''] = /^\(\?([ims]+)\)/.exec(source) ?? []
  return new RegExp(source.slice(whole.length), flags)
}

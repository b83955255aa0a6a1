/** Recognises `command` checks that succeed whatever the agent does: `true`, `… || true`, `echo ok`, `test -f` of an input file. */

const succeeding = new Set(['true', ':', 'echo', 'printf', 'pwd'])
const readers = new Set(['cat', 'ls', 'head', 'tail', 'wc', 'sort'])

/** Reads plain words only; anything else (variables, substitutions, loops, other programs) returns false. `isGiven`: an input of the case. */
export function alwaysSucceeds(run: string, isGiven: (file: string) => boolean): boolean {
  const unquoted = run.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double = '', single = '') =>
    `${double}${single}`.replaceAll(/[\s;|&]/g, '_'),
  )
  const text = unquoted.trim().replaceAll(/\d?>>?\s*(?:&\d|[^\s;&|]+)/g, ' ')
  if (/[`(){}<$*?!]/.test(text)) return false
  const parts = text.split(/;|\n|\|\|/)
  if (parts.slice(0, -1).some((part) => /(?:^|&&)\s*(?:exit|set|exec)\b/.test(part))) return false
  return (parts.at(-1) ?? '').split('&&').every((part) => pipelineSucceeds(part, isGiven))
}

/** The last program of a pipeline decides. */
function pipelineSucceeds(pipeline: string, isGiven: (file: string) => boolean): boolean {
  const stages = pipeline.split('|')
  const [name = '', ...args] = (stages.at(-1) ?? '').trim().split(/\s+/)
  const files = args.filter((word) => !word.startsWith('-') && word !== ']')
  const areGiven = files.length > 0 && files.every(isGiven)
  if (name === 'exit') return (args[0] ?? '0') === '0'
  if (name === 'test' || name === '[') return /^-[defrs]$/.test(args[0] ?? '') && areGiven
  if (readers.has(name)) return areGiven || (stages.length > 1 && files.length === 0)
  return succeeding.has(name)
}

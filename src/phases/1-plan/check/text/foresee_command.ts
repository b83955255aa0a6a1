/** Foresees the exit code of a shell command in a folder that no agent has touched, where its words alone decide it. */

/** Whether a path is there; null: not known. */
export type IsThere = (path: string) => boolean | null

/** null: it depends on more than the words. */
type ExitCode = number | null

/** Returns the exit code of `run`, or null. Only plain commands in lists and pipelines are read; everything else is unknown. */
export function foreseeExitCode(run: string, isThere: IsThere): ExitCode {
  const text = run.trim().replaceAll(/\d?>>?\s*(?:&\d|[^\s;&|]+)/g, ' ')
  if (compound.test(text.replaceAll(/"[^"]*"|'[^']*'/g, '""'))) return null
  const parts = splitList(text)
  const endsEarly = parts.slice(0, -1).some(({ words: [name] }) => name === 'exit' || name === 'set' || name === 'exec')
  if (endsEarly) return null
  return parts.reduce<ExitCode>((before, part) => joinPart(before, part, isThere), null)
}

function joinPart(before: ExitCode, { operator, words }: ListPart, isThere: IsThere): ExitCode {
  const own = foreseeSimple(words, operator === '|', isThere)
  switch (operator) {
    case '&&':
      return before === null ? null : before === 0 ? own : before
    case '||':
      if (before === null) return own === 0 ? 0 : null
      return before === 0 ? 0 : own
    case '|':
    case ';':
      return own
  }
}

/** What makes a command depend on more: substitutions, groups, loops, input from a file, jobs. */
const compound = /[`(){}<]|\$\(|(?:^|[;\n])\s*(?:if|for|while|until|case|function)\b|(?<!&)&(?!&)/

interface ListPart {
  /** What precedes it; the first has `;`. */
  operator: '&&' | '||' | '|' | ';'
  words: string[]
}

function splitList(text: string): ListPart[] {
  const parts: ListPart[] = [{ operator: ';', words: [] }]
  for (const [token] of text.matchAll(/&&|\|\||[|;\n]|(?:"[^"]*"|'[^']*'|[^\s"'|;&])+/g)) {
    if (token === '&&' || token === '||' || token === '|' || token === ';') parts.push({ operator: token, words: [] })
    else if (token === '\n') parts.push({ operator: ';', words: [] })
    else parts.at(-1)?.words.push(token)
  }
  return parts.filter(({ words }) => words.length > 0)
}

/** Programs that succeed whatever they are given on stdin. */
const readers = new Set(['cat', 'wc', 'head', 'tail', 'tee', 'sort', 'uniq', 'tr', 'nl', 'xargs'])
/** Programs that succeed where all their files are there. */
const fileReaders = new Set([...readers, 'ls', 'stat', 'file', 'du', 'md5sum', 'sha256sum'])
const shells = new Set(['sh', 'bash', 'dash', 'zsh'])

function foreseeSimple(words: readonly string[], hasInput: boolean, isThere: IsThere): ExitCode {
  const [name = '', ...args] = words.map(unquote)
  switch (name) {
    case 'true':
    case ':':
    case 'echo':
    case 'printf':
      return 0
    case 'false':
      return 1
    case 'exit':
      return /^\d*$/.test(args[0] ?? '') ? Number(args[0] ?? 0) : null
    case '!': {
      const code = foreseeSimple(words.slice(1), hasInput, isThere)
      return code === null ? null : code === 0 ? 1 : 0
    }
    case '[':
    case '[[':
      return foreseeTest(args.slice(0, -1), isThere)
    case 'test':
      return foreseeTest(args, isThere)
  }
  if (shells.has(name) && args[0] === '-c') return foreseeExitCode(args[1] ?? '', isThere)
  const files = args.filter((word) => !word.startsWith('-'))
  if (hasInput && readers.has(name) && (files.length === 0 || name === 'tee' || name === 'tr')) return 0
  if (!fileReaders.has(name) || files.length === 0) return null
  return foreseeFiles(files, isThere)
}

function foreseeFiles(files: readonly string[], isThere: IsThere): ExitCode {
  const found = files.map((file) => (isPlain(file) ? isThere(file) : null))
  if (found.includes(null)) return null
  return found.includes(false) ? 1 : 0
}

function foreseeTest(args: readonly string[], isThere: IsThere): ExitCode {
  const [first = '', second = '', third = ''] = args
  if (first === '!') {
    const code = foreseeTest(args.slice(1), isThere)
    return code === null ? null : code === 0 ? 1 : 0
  }
  if (args.length === 2 && /^-[efrsd]$/.test(first)) return foreseeFiles([second], isThere)
  if (args.some((word) => !isPlain(word))) return null
  if (args.length === 1) return first === '' ? 1 : 0
  const outcome = args.length === 3 ? compareWords(first, second, third) : null
  return outcome === null ? null : outcome ? 0 : 1
}

function compareWords(left: string, operator: string, right: string): boolean | null {
  if (operator === '=' || operator === '==') return left === right
  if (operator === '!=') return left !== right
  const [one, other] = [Number(left), Number(right)]
  const numeric: Record<string, boolean> = {
    '-eq': one === other,
    '-ne': one !== other,
    '-ge': one >= other,
    '-gt': one > other,
    '-le': one <= other,
    '-lt': one < other,
  }
  return numeric[operator] ?? null
}

function unquote(word: string): string {
  return word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double = '', single = '') => `${double}${single}`)
}

/** Without variables and globs. */
function isPlain(word: string): boolean {
  return !/[$*?]/.test(word)
}

/** Foresees the exit code of a shell command in a folder whose files are known, where its words alone decide it. */

export interface KnownFolder {
  /** Whether a path is there; null: not known. */
  isThere(path: string): boolean | null
  /** The text of a file; null: not known. */
  read(path: string): string | null
}

/** null: it depends on more than the words. */
type ExitCode = number | null

/** Returns the exit code of `run`, or null. Only plain commands in lists and pipelines are read; everything else is unknown. */
export function foreseeExitCode(run: string, folder: KnownFolder): ExitCode {
  const text = run.trim().replaceAll(/\d?>>?\s*(?:&\d|[^\s;&|]+)/g, ' ')
  if (compound.test(text.replaceAll(/"[^"]*"|'[^']*'/g, '""'))) return null
  const parts = splitList(text)
  const endsEarly = parts.slice(0, -1).some(({ words: [name] }) => name === 'exit' || name === 'set' || name === 'exec')
  if (endsEarly) return null
  return parts.reduce<ExitCode>((before, part) => joinPart(before, part, folder), null)
}

function joinPart(before: ExitCode, { operator, words }: ListPart, folder: KnownFolder): ExitCode {
  const own = foreseeSimple(words, operator === '|', folder)
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

/** Programs that succeed whatever they read from stdin. */
const filters = new Set(['cat', 'wc', 'head', 'tail', 'tee', 'sort', 'uniq', 'tr', 'nl'])
/** Programs that succeed where all their files are there. */
const fileReaders = new Set([...filters, 'ls', 'stat', 'file', 'du', 'md5sum', 'sha256sum'])
/** Programs that succeed wherever they start. */
const harmless = new Set([
  'true',
  ':',
  'echo',
  'printf',
  'pwd',
  'date',
  'whoami',
  'id',
  'uname',
  'sleep',
  'touch',
  'find',
])
const shells = new Set(['sh', 'bash', 'dash', 'zsh'])
const inlinePrograms = new Set(['node', 'python', 'python3', 'perl', 'ruby'])

function foreseeSimple(words: readonly string[], hasInput: boolean, folder: KnownFolder): ExitCode {
  const [name = '', ...args] = words.map(unquote)
  const files = args.filter((word) => !word.startsWith('-'))
  if (harmless.has(name)) return 0
  if (shells.has(name) && args[0] === '-c') return foreseeExitCode(args[1] ?? '', folder)
  if (inlinePrograms.has(name) && /^-[ce]$/.test(args[0] ?? '')) return foreseeInline(args[1] ?? '')
  switch (name) {
    case 'false':
      return 1
    case 'exit':
      return /^\d*$/.test(args[0] ?? '') ? Number(args[0] ?? 0) : null
    case '!':
      return negate(foreseeSimple(words.slice(1), hasInput, folder))
    case '[':
    case '[[':
      return foreseeTest(args.slice(0, -1), folder)
    case 'test':
      return foreseeTest(args, folder)
    case 'grep':
      return foreseeGrep(args, folder)
    case 'ls':
      return files.length === 0 ? 0 : foreseeFiles(files, folder)
  }
  if (hasInput && filters.has(name) && (files.length === 0 || name === 'tee' || name === 'tr')) return 0
  return fileReaders.has(name) && files.length > 0 ? foreseeFiles(files, folder) : null
}

function negate(code: ExitCode): ExitCode {
  return code === null ? null : code === 0 ? 1 : 0
}

/** A program that only prints, or only ends. */
function foreseeInline(code: string): ExitCode {
  if (/^\s*(?:pass|(?:print|console\.log)\([^()]*\))?;?\s*$/.test(code)) return 0
  const [, end = null] = /^\s*(?:import sys;\s*)?(?:process\.exit|(?:sys\.)?exit)\((\d*)\);?\s*$/.exec(code) ?? []
  return end === null ? null : Number(end)
}

/** A plain text that is looked for in known files. */
function foreseeGrep(args: readonly string[], folder: KnownFolder): ExitCode {
  const flags = args.filter((word) => word.startsWith('-'))
  const [pattern = '', ...files] = args.filter((word) => !word.startsWith('-'))
  if (files.length === 0 || !/^[\w ,:;@%=/-]+$/.test(pattern) || flags.some((flag) => !/^-[qisFEnco]+$/.test(flag)))
    return null
  if (foreseeFiles(files, folder) !== 0)
    return files.every((file) => isPlain(file) && folder.isThere(file) === false) ? 2 : null
  const texts = files.map((file) => folder.read(file))
  if (texts.some((text) => text === null)) return null
  const isCaseFree = flags.some((flag) => flag.includes('i'))
  const fold = (text: string | null) => (isCaseFree ? (text ?? '').toLowerCase() : (text ?? ''))
  return texts.some((text) => fold(text).includes(fold(pattern))) ? 0 : 1
}

function foreseeFiles(files: readonly string[], folder: KnownFolder): ExitCode {
  const found = files.map((file) => (isPlain(file) ? folder.isThere(file) : null))
  if (found.includes(null)) return null
  return found.includes(false) ? 1 : 0
}

function foreseeTest(args: readonly string[], folder: KnownFolder): ExitCode {
  const [first = '', second = '', third = ''] = args
  if (first === '!') return negate(foreseeTest(args.slice(1), folder))
  if (args.length === 2 && /^-[efrsd]$/.test(first)) return foreseeFiles([second], folder)
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

/** Collects the application code that a case is about, as the agent finds it in its working folder: without the evals in it. */
import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { InputFile } from '../../../schemas/suite.ts'
import { hashFile } from '../../base/fs/files.ts'
import { isInsideFolder } from '../../base/fs/inside_folder.ts'
import { readText } from '../../base/json/json.ts'
import { isHiddenFromAgents } from '../../phases/1-plan/skill/read_skill.ts'
import { hashFileContent } from '../../phases/1-plan/suite/input_files.ts'
import { findProject } from './places.ts'

export interface SubjectCode {
  source: { path: string; sha256: string }
  /** Relative to the package. */
  files: InputFile[]
  /** Files with @eval blocks: path → text without them. */
  texts: Record<string, string>
  /** Why imports of it are missing; null: none is. */
  warning: string | null
}

/** `source`: absolute. */
export async function readCode(source: string): Promise<SubjectCode> {
  const root = await findProject(source)
  const { files: found, leftOut } = await findImports(source, root)
  const files: InputFile[] = []
  const texts: Record<string, string> = {}
  for (const file of found) {
    const name = path.relative(root, file).split(path.sep).join('/')
    const text = isEvalSource(file) ? await readEvalSource(file) : null
    if (text === null) files.push({ path: name, source: file, ...(await hashFileContent(file)) })
    else texts[name] = text
  }
  const warning = leftOut.length === 0 ? null : `the agent does not get these imports: ${leftOut.join(', ')}`
  return { source: { path: source, sha256: await hashFile(source) }, files, texts, warning }
}

/** The text of a file without its @eval blocks; null: it has none. */
async function readEvalSource(file: string): Promise<string | null> {
  if ((await stat(file)).size > largestEvalSource) return null
  const text = await readText(file)
  const blocks = evalBlocks(text, file)
  return blocks.length === 0 ? null : removeEvalBlocks(text, blocks)
}

/** Bytes; larger files are not written by hand, and their comments are not read. */
export const largestEvalSource = 1024 * 1024

/** Files of one source with its imports, and the bytes above which a file is not searched for imports. */
const limits = { files: 200, searched: 2 ** 20 }

interface FoundImports {
  /** Absolute; the source itself is the first. */
  files: string[]
  /** Imports that are left out, relative to the package, each with the reason. */
  leftOut: string[]
}

/** Follows imports from file to file, each once. `root`: the package, absolute. */
async function findImports(source: string, root: string): Promise<FoundImports> {
  const found = new Set([source])
  const leftOut = new Set<string>()
  for (const file of found) {
    for (const candidates of await listImports(file, root)) {
      const target = candidates.find(isFile)
      if (target === undefined || found.has(target)) continue
      const name = path.relative(root, target)
      if (!isInsideFolder(root, target)) leftOut.add(`${name} (outside of the package)`)
      else if (isHiddenFromAgents(name)) leftOut.add(`${name} (agents never see it)`)
      else if (found.size >= limits.files) leftOut.add(`${name} (more than ${limits.files} files)`)
      else found.add(target)
    }
  }
  return { files: [...found], leftOut: [...leftOut] }
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true
}

/** For each import of a file, the places where it may be, absolute. */
async function listImports(file: string, root: string): Promise<string[][]> {
  const list = importsByExtension[path.extname(file)]
  if (list === undefined || statSync(file).size > limits.searched) return []
  return list(await readText(file), { folder: path.dirname(file), root })
}

interface ImportPlace {
  folder: string
  root: string
}

const scriptEndings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json']

/** Relative imports of TypeScript and JavaScript; `./x.js` may be `./x.ts`. */
function listScriptImports(text: string, { folder }: ImportPlace): string[][] {
  const imports = text.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*(['"`])(\.\.?(?:\/[^'"`\n]*)?)\1/g)
  return [...imports].map(([, , name = '']) => {
    const place = path.resolve(folder, name)
    const bare = place.replace(/\.([cm]?)jsx?$/, '')
    return [place, bare, path.join(place, 'index')].flatMap((one) => [one, ...scriptEndings.map((end) => one + end)])
  })
}

/** `from .a import b`, `from a.b import c` and `import a.b`, from the file's folder, the package or its `src`. */
function listPythonImports(text: string, { folder, root }: ImportPlace): string[][] {
  const froms = [...text.matchAll(/^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)/gm)]
  const plain = [...text.matchAll(/^[ \t]*import[ \t]+([\w., \t]+)/gm)]
  const named = froms.flatMap(([, dots = '', module = '', names = '']) => {
    const parts = [...names.matchAll(/\b(\w+)(?:\s+as\s+\w+)?/g)].map(([, name = '']) => name)
    return ['', ...parts].map((name) => ({ dots, module: [module, name].filter(Boolean).join('.') }))
  })
  const whole = plain.flatMap(([, list = '']) => list.split(',').map((one) => one.trim().split(/\s/)[0] ?? ''))
  return [...named, ...whole.map((module) => ({ dots: '', module }))].map(({ dots, module }) => {
    const parts = module.split('.')
    const from = dots === '' ? [folder, root, path.join(root, 'src')] : [path.join(folder, ...ups(dots.length - 1))]
    return from.flatMap((base) => {
      const place = path.join(base, ...parts)
      return [`${place}.py`, path.join(place, '__init__.py')]
    })
  })
}

function ups(count: number): string[] {
  return Array.from({ length: count }, () => '..')
}

/** Every module name in the text, at its usual place: `MyApp.Greeter` is lib/my_app/greeter.ex. */
function listElixirImports(text: string, { root }: ImportPlace): string[][] {
  const groups = [...text.matchAll(/\b([A-Z][\w.]*)\.\{([^}]*)\}/g)].flatMap(([, base = '', names = '']) =>
    names.split(',').map((name) => `${base}.${name.trim()}`),
  )
  const names = [...text.matchAll(/\b[A-Z]\w*(?:\.[A-Z]\w*)*/g)].map(([name]) => name)
  return [...new Set([...names, ...groups])].map((name) => [path.join(root, 'lib', `${underscore(name)}.ex`)])
}

function underscore(module: string): string {
  return module
    .replaceAll(/([a-z\d])([A-Z])|([A-Z]+)([A-Z][a-z])/g, '$1$3_$2$4')
    .replaceAll('.', '/')
    .toLowerCase()
}

const importsByExtension: Readonly<Record<string, (text: string, place: ImportPlace) => string[][]>> = {
  ...Object.fromEntries(scriptEndings.map((ending) => [ending, listScriptImports])),
  '.py': listPythonImports,
  '.ex': listElixirImports,
  '.exs': listElixirImports,
}

export function isEvalSource(file: string): boolean {
  return /\.(?:[cm]?[jt]sx?|exs?)$/.test(file) && !/\.d\.[cm]?ts$|\.min\.[cm]?js$/.test(file)
}

export interface EvalBlock {
  text: string
  /** First line in the file, from 1. */
  line: number
}

/** In file order. A block of a comment ends where another tag begins a line, or with its comment. `file`: its name. */
export function evalBlocks(source: string, file = 'x.ts'): EvalBlock[] {
  if (/\.exs?$/.test(file)) return findAttributeBlocks(source)
  const lines = source.replace(/^\uFEFF/, '').split(/\r\n?|\n/)
  return docComments(lines).flatMap(findCommentBlocks)
}

/** The source without the text of its blocks; every other line keeps its number. */
export function removeEvalBlocks(source: string, blocks: readonly EvalBlock[]): string {
  const lines = source.split(/\r\n?|\n/)
  for (const { text, line } of blocks) {
    for (let at = line - 1; at < line - 1 + text.split('\n').length; at++) {
      const [start = ''] = /^\s*(?:\/\*\*|\*(?!\/))?/.exec(lines[at] ?? '') ?? []
      const end = lines[at]?.indexOf('*/') ?? -1
      lines[at] = end < 0 ? start.trimEnd() : `${start.trimEnd()} ${lines[at]?.slice(end)}`
    }
  }
  return lines.join('\n')
}

/** `@eval """ … """`, indented as its closing quotes. */
function findAttributeBlocks(source: string): EvalBlock[] {
  const text = source.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
  const found = text.matchAll(/^[ \t]*@eval[ \t]+(?:~[sS])?"""[ \t]*\n([\s\S]*?)\n([ \t]*)"""/gm)
  return [...found].map(({ 0: whole, 1: inner = '', 2: indent = '', index }) => {
    const line = text.slice(0, index + whole.indexOf('\n') + 1).split('\n').length
    const lines = inner.split('\n').map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one.trimStart()))
    return { text: lines.join('\n'), line }
  })
}

interface CommentLine {
  text: string
  number: number
}

/** Comments that begin a line with slash and two stars, without the stars. */
function docComments(lines: readonly string[]): CommentLine[][] {
  const found: CommentLine[][] = []
  let open: CommentLine[] | null = null
  for (const [index, line] of lines.entries()) {
    const start: string | null = open === null ? (/^\s*\/\*\*(?!\/)(.*)$/.exec(line)?.[1] ?? null) : line
    if (start === null) continue
    const [inner = '', ...after] = start.split('*/')
    const text: string = open === null ? inner.trimStart() : inner.replace(/^\s*\* ?/, '').trimEnd()
    open ??= []
    open.push({ text, number: index + 1 })
    if (after.length === 0) continue
    found.push(open)
    open = null
  }
  return found
}

function findCommentBlocks(comment: readonly CommentLine[]): EvalBlock[] {
  const found: { lines: string[]; line: number }[] = []
  let fence: string | null = null
  let isOpen = false
  for (const { text, number } of comment) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(text)?.[1] ?? null
    const [, tag, rest = ''] = (fence === null && /^\s*@(\w+)[ \t]*(.*)$/.exec(text)) || []
    if (mark !== null && (fence === null || mark.startsWith(fence))) fence = fence === null ? mark : null
    if (tag === undefined) {
      if (isOpen) found.at(-1)?.lines.push(text)
    } else {
      isOpen = tag === 'eval'
      if (isOpen) found.push({ lines: [rest], line: number })
    }
  }
  return found.map(({ lines, line }) => ({ text: lines.join('\n'), line }))
}

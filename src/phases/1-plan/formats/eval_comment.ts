/** Loads EVAL.md text from doc comments of TypeScript and JavaScript files (tag @eval); the cases are about that file. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import pLimit from 'p-limit'
import type { Suite } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { hashFile } from '../../../base/fs/files.ts'
import { readText } from '../../../base/json/json.ts'
import type { InspectedSuite } from '../suite/inspected_suite.ts'
import { evalBlocks } from './eval_md/comments.ts'
import type { EvalMdCase } from './eval_md/grammar.ts'
import { type EvalMdMistake, type EvalMdReading, readEvalMd } from './eval_md/read.ts'
import { buildEvalMdSuite, toMistakesError } from './eval_md.ts'

export const evalCommentPlaces = ['@eval in a doc comment of a .ts or .js file']

/** Bytes per file; larger files are not written by hand. */
const longest = 1024 * 1024

export function isSourceFile(file: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(file) && !/\.d\.[cm]?ts$|\.min\.[cm]?js$/.test(file)
}

/** Lists the source files with an @eval block. */
export async function discoverEvalComments({
  root,
  files,
}: {
  root: string
  files: readonly string[]
}): Promise<string[]> {
  const limit = pLimit(16)
  const looks = (file: string) => limit(async () => ((await hasEval(path.join(root, file))) ? [file] : []))
  return (await Promise.all(files.filter(isSourceFile).map(looks))).flat()
}

/** Whether a doc comment of the file has an @eval block; false if it cannot be read. */
export async function hasEval(file: string): Promise<boolean> {
  if (((await stat(file).catch(() => null))?.size ?? longest + 1) > longest) return false
  const text = await readText(file).catch(() => '')
  return text.includes('@eval') && evalBlocks(text).length > 0
}

/** Throws UserError with file, line and reason. */
export async function loadEvalComments(file: string): Promise<Suite> {
  const blocks = evalBlocks(await readText(file))
  const read: Extract<EvalMdReading, { kind: 'suite' }>[] = []
  const mistakes: EvalMdMistake[] = []
  for (const { text, line } of blocks) {
    const reading = readEvalMd(text.replace(/^\s*\n/, ''))
    const shift = line - 1 + (/^\s*\n/.test(text) ? 1 : 0)
    if (reading.kind === 'suite') read.push({ ...reading, cases: reading.cases.map((one) => shiftLines(one, shift)) })
    else if (reading.kind === 'broken')
      mistakes.push(...reading.mistakes.map((one) => ({ ...one, line: one.line + shift })))
    else mistakes.push({ line, column: 1, message: `the @eval block has no case: ${reading.why}`, fix: caseForm })
  }
  if (mistakes.length > 0) throw toMistakesError(file, mistakes)
  const [first] = read
  if (first === undefined) throw new UserError(`${file}: no @eval block in a doc comment`, caseForm)
  const suites = await Promise.all(read.map((reading) => buildEvalMdSuite(file, reading)))
  const source = { path: file, sha256: await hashFile(file) }
  const cases = suites.flatMap((suite) =>
    suite.cases.map((one) => ({ ...one, source, target: one.target ?? `source:${path.basename(file)}` })),
  )
  return {
    format: 'eval-comment',
    path: file,
    skill_name: path.basename(file),
    root: path.dirname(file),
    ...(suites[0]?.defaults && { defaults: suites[0].defaults }),
    cases: cases.map((one, index) => ({ ...one, eval_id: index + 1 })),
    warnings: suites.flatMap(({ warnings }) => warnings),
  }
}

export async function inspectEvalComments(file: string): Promise<InspectedSuite> {
  const suite = await loadEvalComments(file)
  return { suite, places: suite.cases.map(() => ({ file, at: null })), mistakes: [] }
}

const caseForm = 'a case is a line ## <name>, under it ### Prompt and ### Expect'

function shiftLines(one: EvalMdCase, by: number): EvalMdCase {
  const section = (at: EvalMdCase['prompt']) => at && { ...at, line: at.line + by }
  return { ...one, line: one.line + by, prompt: section(one.prompt), expect: section(one.expect) }
}

/** Loads EVAL.md text from @eval blocks of TypeScript, JavaScript and Elixir files; the cases are about that file. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import pLimit from 'p-limit'
import type { Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { readText } from '../../base/json/json.ts'
import type { InspectedSuite, SuiteFormat } from '../../phases/1-plan/suite/inspected_suite.ts'
import { evalBlocks, isEvalSource, largestEvalSource } from './code.ts'
import { buildEvalMdSuite, toMistakesError } from './format.ts'
import { type EvalMdCase, type EvalMdMistake, type EvalMdReading, readEvalMd } from './read.ts'

const evalCommentPlaces = ['@eval in a doc comment of a .ts or .js file, or in a .ex file']

/** Lists the source files with an @eval block. */
async function discoverEvalComments({ root, files }: { root: string; files: readonly string[] }): Promise<string[]> {
  const limit = pLimit(16)
  const looks = (file: string) => limit(async () => ((await hasEval(path.join(root, file))) ? [file] : []))
  return (await Promise.all(files.filter(isEvalSource).map(looks))).flat()
}

/** Whether the file has an @eval block; false if it cannot be read. */
async function hasEval(file: string): Promise<boolean> {
  if (((await stat(file).catch(() => null))?.size ?? Number.POSITIVE_INFINITY) > largestEvalSource) return false
  const text = await readText(file).catch(() => '')
  return text.includes('@eval') && evalBlocks(text, file).length > 0
}

/** Throws UserError with file, line and reason. */
export async function loadEvalComments(file: string): Promise<Suite> {
  const blocks = evalBlocks(await readText(file), file)
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
  if (first === undefined) throw new UserError(`${file}: no @eval block in it`, caseForm)
  const suites = await Promise.all(read.map((reading) => buildEvalMdSuite(file, reading)))
  const cases = suites.flatMap((suite) => suite.cases)
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

async function inspectEvalComments(file: string): Promise<InspectedSuite> {
  const suite = await loadEvalComments(file)
  return { suite, places: suite.cases.map(() => ({ file, at: null })), mistakes: [] }
}

const caseForm = 'a case is a line ## <name>, under it ### Prompt and ### Expect'

function shiftLines(one: EvalMdCase, by: number): EvalMdCase {
  const section = (at: EvalMdCase['prompt']) => at && { ...at, line: at.line + by }
  return { ...one, line: one.line + by, prompt: section(one.prompt), expect: section(one.expect) }
}

export const evalCommentFormat: SuiteFormat = {
  places: evalCommentPlaces,
  find: () => Promise.resolve(null),
  needsNoSkill: true,
  discover: discoverEvalComments,
  reads: isEvalSource,
  isMeant: hasEval,
  inspect: inspectEvalComments,
}

/** Finds the file that a check names, never outside the outputs folder, and reads the one text that it looks at. */
import { readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import { errorMessage } from '../../../../base/errors/error.ts'
import { isIgnoredPath } from '../../../../base/fs/ignored_folders.ts'
import { parseJson } from '../../../../base/json/json.ts'
import { findDocumentReader } from '../../documents/document_formats.ts'
import { readTextOnce } from '../../documents/document_reads.ts'
import { decodeText } from '../../documents/read_file_text.ts'
import {
  type CheckContext,
  type CheckVerdict,
  decideUnreadable,
  failUnreadable,
  formatNames,
  isContentUnknown,
} from './check_input.ts'

/** Name in outputs/. Whetstone's metrics.json takes that name, so the agent's own has another. */
export function storedName(plain: string): string {
  return plain === 'metrics.json' ? 'metrics.agent.json' : plain
}

export type LocatedOutput =
  | { status: 'found'; path: string; file: string }
  | { status: 'missing'; evidence: string }
  | { status: 'undecided'; verdict: CheckVerdict }

/** Normalises a path below the working folder, in NFC; null: it leads out. */
export function normalizeInnerPath(wanted: string): string | null {
  const plain = path.posix.normalize(wanted).normalize('NFC')
  if (path.posix.isAbsolute(plain) || plain === '..' || plain.startsWith('../')) return null
  return plain.replace(/\/$/, '')
}

/** Finds the output file of that path. */
export async function locateOutput(wanted: string, context: CheckContext): Promise<LocatedOutput> {
  const plain = normalizeInnerPath(wanted)
  if (plain === null) return undecided(`the check's path ${wanted} leads out of the working folder`)
  const exact = context.outputs.includes(wanted) ? wanted : null
  const name = exact ?? context.outputs.find((one) => one.normalize('NFC') === storedName(plain))
  if (name !== undefined) return resolveOutput(name, context.outputsFolder)
  const left = context.leftOut.find((one) => holds(one.path.normalize('NFC'), plain))
  if (left !== undefined && isContentUnknown(left)) {
    return { status: 'undecided', verdict: failUnreadable(`${plain} was not collected: ${left.reason}`) }
  }
  if (left !== undefined) return { status: 'missing', evidence: `${plain} is ${left.reason}, not a regular file` }
  if (isIgnoredPath(plain)) return undecided(`${plain} is in a folder that is not collected`)
  return { status: 'missing', evidence: `No output file ${plain}; the agent left ${formatNames(context.outputs)}` }
}

function undecided(error: string): LocatedOutput {
  return { status: 'undecided', verdict: { error } }
}

/** Whether a path is the wanted one or a folder above it; `.` is the working folder itself. */
export function holds(folder: string, wanted: string): boolean {
  return folder === '.' || wanted === folder || wanted.startsWith(`${folder}/`)
}

async function resolveOutput(name: string, folder: string): Promise<LocatedOutput> {
  const [root, file] = await Promise.all(
    [folder, path.join(folder, name)].map((one) => realpath(one).catch(() => null)),
  )
  if (!root || !file) return undecided(`${name} is no longer in the run's outputs`)
  if (!file.startsWith(root + path.sep)) return undecided(`${name} is a link out of the outputs`)
  return { status: 'found', path: name, file }
}

export interface CheckSource {
  /** Its source, as evidence names it. */
  label: string
  text: string
  /** Content of the only code fence of an answer; the JSON of a notebook; otherwise the text. */
  fenced: string
}

/** Returns the text of the output file, or of the final answer if `path` is absent. For a missing file, returns the verdict. */
export async function readSource(
  path: string | undefined,
  context: CheckContext,
): Promise<CheckSource | { verdict: CheckVerdict }> {
  if (path === undefined) {
    const text = context.finalResponse.normalize('NFC')
    return { label: context.answerLabel ?? 'final answer', text, fenced: readFenceContent(text) }
  }
  const located = await locateOutput(path, context)
  switch (located.status) {
    case 'undecided':
      return { verdict: located.verdict }
    case 'missing':
      return { verdict: { passed: false, evidence: located.evidence } }
    case 'found': {
      const read = await readTextOnce({ file: located.file, name: located.path }, context)
      if (read.status !== 'text') return { verdict: decideUnreadable(located.path, read) }
      const text = read.text.normalize('NFC')
      return { label: located.path, text, fenced: await readJsonText(located, text) }
    }
  }
}

/** A notebook is JSON itself, whatever its cells say. */
async function readJsonText({ path, file }: { path: string; file: string }, text: string): Promise<string> {
  return findDocumentReader(path)?.format === 'ipynb'
    ? (decodeText(await readFile(file))?.normalize('NFC') ?? text)
    : text
}

export function parseSource({ fenced, label }: CheckSource): { value: unknown } | { mistake: string } {
  try {
    return { value: parseJson(fenced, label) }
  } catch (error) {
    return { mistake: errorMessage(error) }
  }
}

/** The JSON value with its texts in NFC, as those of a source are. */
export function composeTexts(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value).normalize('NFC'))
}

function readFenceContent(answer: string): string {
  const fences = [...answer.matchAll(/^```[a-zA-Z]*\r?\n([\s\S]*?)^```/gm)]
  return fences.length === 1 ? (fences[0]?.[1] ?? answer) : answer
}

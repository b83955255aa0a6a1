/** Prepares the folder in which a judge works: transcript, outputs, inputs, and nothing that reveals the configuration or the run. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { RunRecord } from '../../../../schemas/run.ts'
import type { InputFile } from '../../../../schemas/suite.ts'
import { errnoCode } from '../../../base/errors/error.ts'
import { copyWalk, pathExists, type WalkedFile, walk } from '../../../base/fs/files.ts'
import { openTempDir } from '../../../base/fs/temp_dir.ts'
import { normalizeInnerPath } from '../checks/inputs/locate_output.ts'
import type { DocumentReading, NamedFile } from '../documents/document_reads.ts'
import { readDocuments } from '../documents/document_reads.ts'
import { buildDialogueView, buildTranscriptView } from './transcript_view.ts'

/** Limits for copying outputs and inputs each: bytes per file, bytes in total, number of files. */
const limits = { fileBytes: 5 * 2 ** 20, totalBytes: 50 * 2 ** 20, files: 1000 }

export interface JudgeTempDir {
  /** The judge's working folder, absolute. */
  cwd: string
  mark: string
  hasOutputs: boolean
  hasInputs: boolean
  hasUserNotes: boolean
  hasHarnessNotes: boolean
  hasTexts: boolean
  /** The copied files with their sources. */
  outputs: readonly WalkedFile[]
  inputs: readonly WalkedFile[]
  /** Texts of documents, by the file's name in this folder (`outputs/…`, `inputs/…`). */
  texts: ReadonlyMap<string, string>
  /** Texts of transcript.md, of its messages and answers alone, and of harness_notes.md; empty: none. */
  transcript: string
  dialogue: string
  harnessNotes: string
  /** All files that the agent left, copied or not: `outputs/…`. */
  names: readonly string[]
  [Symbol.asyncDispose](): Promise<void>
}

export interface JudgeTempDirRequest extends DocumentReading {
  runFolder: string
  inputs: readonly InputFile[]
  record: Pick<RunRecord, 'outputs' | 'conversation'>
  /** The case's prompt, which begins the transcript. */
  prompt: string
  /** Shows the transcript without bars, only to demonstrate the need for them. */
  verbatim?: boolean
}

/** Creates the temp directory. Use with `await using`; a failure in between leaves nothing behind. */
export async function openJudgeTempDir(request: JudgeTempDirRequest): Promise<JudgeTempDir> {
  const tempDir = await openTempDir()
  try {
    const cwd = path.join(tempDir.path, 'work')
    return {
      cwd,
      mark: tempDir.mark,
      ...(await fill(cwd, request)),
      [Symbol.asyncDispose]: () => tempDir[Symbol.asyncDispose](),
    }
  } catch (error) {
    await tempDir[Symbol.asyncDispose]()
    throw error
  }
}

async function fill(cwd: string, request: JudgeTempDirRequest) {
  const { runFolder, inputs, record } = request
  await mkdir(path.join(cwd, 'outputs'), { recursive: true })
  const transcript = await readTranscriptText(request)
  if (transcript !== '') await writeFile(path.join(cwd, 'transcript.md'), transcript)
  const left = await listRunOutputs(runFolder)
  const outputs = await copyWithinLimits(left, path.join(cwd, 'outputs'))
  const given = await findInputFiles(inputs)
  const copied = await copyWithinLimits(given.files, path.join(cwd, 'inputs'))
  const notes = ['user_notes.md', 'outputs/user_notes.md'].map((name) => left.find((file) => file.path === name))
  const userNotes = notes.find((file) => file !== undefined)
  if (userNotes) await copyFile(userNotes.source, path.join(cwd, 'user_notes.md'))
  const named = [...toNamed('outputs', outputs.copied), ...toNamed('inputs', copied.copied)]
  const read = await readDocuments(named, request)
  const unwritten = await writeDocumentTexts(path.join(cwd, 'texts'), read.texts)
  const missing = [
    ...outputs.leftOut.map((name) => `outputs/${name}: too large to be copied here`),
    ...record.outputs.left_out.map((one) => `outputs/${one.path}: not collected: ${one.reason}`),
    ...record.outputs.deleted.map((name) => `${name}: an input file that the agent removed`),
    ...copied.leftOut.map((name) => `inputs/${name}: too large to be copied here`),
    ...given.missing.map((name) => `inputs/${name}: no longer there`),
    ...read.unreadable.map((reason) => `the text of ${reason}`),
    ...unwritten.map(
      (name) => `the text of ${name} is not in texts/: its path is too long, or is that of another file`,
    ),
  ]
  const harnessNotes = missing.map((note) => `- ${JSON.stringify(note)}\n`).join('')
  if (harnessNotes !== '') await writeFile(path.join(cwd, 'harness_notes.md'), harnessNotes)
  return {
    transcript,
    dialogue: buildDialogueView(record.conversation),
    harnessNotes,
    texts: read.texts,
    hasTexts: read.texts.size > 0,
    names: left.map((file) => `outputs/${file.path}`),
    outputs: outputs.copied,
    inputs: copied.copied,
    hasOutputs: outputs.copied.length > 0,
    hasInputs: copied.copied.length > 0,
    hasUserNotes: userNotes !== undefined,
    hasHarnessNotes: harnessNotes !== '',
  }
}

function toNamed(folder: string, files: readonly WalkedFile[]): NamedFile[] {
  return files.map((file) => ({ name: `${folder}/${file.path}`, file: file.source }))
}

const unusableNames: ReadonlySet<string | null> = new Set(['ENAMETOOLONG', 'ENOTDIR', 'EEXIST', 'EISDIR'])

/** Writes NAME.txt for each name; returns those whose path can't be written: agents name their files as they like. */
export async function writeDocumentTexts(folder: string, texts: ReadonlyMap<string, string>): Promise<string[]> {
  const unwritten: string[] = []
  for (const [name, text] of texts) {
    const file = path.join(folder, `${name}.txt`)
    try {
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, text)
    } catch (error) {
      if (!unusableNames.has(errnoCode(error))) throw error
      unwritten.push(name)
    }
  }
  return unwritten
}

function readTranscriptText({ runFolder, prompt, record, verbatim }: JudgeTempDirRequest): Promise<string> {
  if (verbatim !== true) return buildTranscriptView(runFolder, prompt, record.conversation)
  return readFile(path.join(runFolder, 'transcript.md'), 'utf8').catch(() => '')
}

/** The files in a run's outputs/ without Whetstone's metrics.json; does not follow links. */
export async function listRunOutputs(runFolder: string): Promise<WalkedFile[]> {
  const folder = path.join(runFolder, 'outputs')
  if (!(await pathExists(folder))) return []
  const { files } = await walk(folder, { links: 'never', skip: (name) => name === 'metrics.json' })
  return files
}

export async function findInputFiles(
  inputs: readonly InputFile[],
): Promise<{ files: WalkedFile[]; missing: string[] }> {
  const files: WalkedFile[] = []
  const missing: string[] = []
  for (const input of inputs) {
    const place = normalizeInnerPath(input.path)
    if (place === null || !(await pathExists(input.source))) missing.push(input.path)
    else if (input.kind === 'file') files.push({ path: place, source: input.source, bytes: input.bytes })
    else
      for (const file of (await walk(input.source)).files)
        files.push({ ...file, path: path.posix.join(place, file.path) })
  }
  return { files, missing }
}

export async function copyWithinLimits(
  files: readonly WalkedFile[],
  target: string,
): Promise<{ copied: WalkedFile[]; leftOut: string[] }> {
  const { kept, leftOut } = splitByLimits(files)
  await copyWalk(kept, target)
  return { copied: kept, leftOut: leftOut.map((file) => file.path) }
}

/** Separates the files to show a judge from those that are too large. */
export function splitByLimits(files: readonly WalkedFile[]): { kept: WalkedFile[]; leftOut: WalkedFile[] } {
  const kept: WalkedFile[] = []
  const leftOut: WalkedFile[] = []
  let total = 0
  for (const file of files) {
    const fits = file.bytes <= limits.fileBytes && total + file.bytes <= limits.totalBytes && kept.length < limits.files
    if (fits) {
      kept.push(file)
      total += file.bytes
    } else leftOut.push(file)
  }
  return { kept, leftOut }
}

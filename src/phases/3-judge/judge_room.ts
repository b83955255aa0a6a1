/** The folder a judge works in: transcript, outputs, inputs, and nothing that tells the arm or the run. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { RunRecord } from '../../../schemas/run.ts'
import type { InputFile } from '../../../schemas/suite.ts'
import { copyWalk, exists, type WalkedFile, walk } from '../../base/files.ts'
import { openRoom } from '../../base/room.ts'
import { inside } from './checks/locate.ts'
import { transcriptView } from './transcript_view.ts'

/** Limits of what is copied, outputs and inputs each: bytes of a file, of all, number of files. */
const limits = { fileBytes: 5 * 2 ** 20, totalBytes: 50 * 2 ** 20, files: 1000 }

export interface JudgeRoom {
  /** The judge's working folder, absolute. */
  cwd: string
  /** The mark of its processes. */
  mark: string
  hasOutputs: boolean
  hasInputs: boolean
  hasUserNotes: boolean
  hasHarnessNotes: boolean
  /** What was copied, with the places that it was copied from. */
  outputs: readonly WalkedFile[]
  inputs: readonly WalkedFile[]
  /** The text of its transcript.md and harness_notes.md; empty: there is none. */
  transcript: string
  harnessNotes: string
  /** All that the agent left, too large to be copied or not: `outputs/…`. */
  names: readonly string[]
  [Symbol.asyncDispose](): Promise<void>
}

export interface JudgeRoomRequest {
  runFolder: string
  inputs: readonly InputFile[]
  record: Pick<RunRecord, 'outputs'>
  /** The case's, which opens the transcript. */
  prompt: string
  /** The transcript as it is, without bars: only to show what they are for. */
  verbatim?: boolean
}

/** Builds the room. Use with `await using`; a failure on the way leaves nothing behind. */
export async function openJudgeRoom(request: JudgeRoomRequest): Promise<JudgeRoom> {
  const room = await openRoom()
  try {
    const cwd = path.join(room.path, 'work')
    return {
      cwd,
      mark: room.mark,
      ...(await fill(cwd, request)),
      [Symbol.asyncDispose]: () => room[Symbol.asyncDispose](),
    }
  } catch (error) {
    await room[Symbol.asyncDispose]()
    throw error
  }
}

async function fill(cwd: string, request: JudgeRoomRequest) {
  const { runFolder, inputs, record } = request
  await mkdir(path.join(cwd, 'outputs'), { recursive: true })
  const transcript = await transcriptOf(request)
  if (transcript !== '') await writeFile(path.join(cwd, 'transcript.md'), transcript)
  const left = await runOutputs(runFolder)
  const outputs = await copyWithin(left, path.join(cwd, 'outputs'))
  const given = await inputFiles(inputs)
  const copied = await copyWithin(given.files, path.join(cwd, 'inputs'))
  const notes = ['user_notes.md', 'outputs/user_notes.md'].map((name) => left.find((file) => file.path === name))
  const userNotes = notes.find((file) => file !== undefined)
  if (userNotes) await copyFile(userNotes.source, path.join(cwd, 'user_notes.md'))
  const missing = [
    ...outputs.leftOut.map((name) => `outputs/${name}: too large to be copied here`),
    ...record.outputs.left_out.map((one) => `outputs/${one.path}: not collected: ${one.reason}`),
    ...record.outputs.deleted.map((name) => `${name}: an input file that the agent removed`),
    ...copied.leftOut.map((name) => `inputs/${name}: too large to be copied here`),
    ...given.missing.map((name) => `inputs/${name}: no longer there`),
  ]
  const harnessNotes = missing.map((note) => `- ${JSON.stringify(note)}\n`).join('')
  if (harnessNotes !== '') await writeFile(path.join(cwd, 'harness_notes.md'), harnessNotes)
  return {
    transcript,
    harnessNotes,
    names: left.map((file) => `outputs/${file.path}`),
    outputs: outputs.copied,
    inputs: copied.copied,
    hasOutputs: outputs.copied.length > 0,
    hasInputs: copied.copied.length > 0,
    hasUserNotes: userNotes !== undefined,
    hasHarnessNotes: harnessNotes !== '',
  }
}

function transcriptOf({ runFolder, prompt, verbatim }: JudgeRoomRequest): Promise<string> {
  if (verbatim !== true) return transcriptView(runFolder, prompt)
  return readFile(path.join(runFolder, 'transcript.md'), 'utf8').catch(() => '')
}

/** The files in a run's outputs/, our metrics.json left out; links are not followed. */
export async function runOutputs(runFolder: string): Promise<WalkedFile[]> {
  const folder = path.join(runFolder, 'outputs')
  if (!(await exists(folder))) return []
  const { files } = await walk(folder, { links: 'never', skip: (name) => name === 'metrics.json' })
  return files
}

/** The files that a case gives, and those that are no longer there. */
export async function inputFiles(inputs: readonly InputFile[]): Promise<{ files: WalkedFile[]; missing: string[] }> {
  const files: WalkedFile[] = []
  const missing: string[] = []
  for (const input of inputs) {
    const place = inside(input.path)
    if (place === null || !(await exists(input.source))) missing.push(input.path)
    else if (input.kind === 'file') files.push({ path: place, source: input.source, bytes: input.bytes })
    else
      for (const file of (await walk(input.source)).files)
        files.push({ ...file, path: path.posix.join(place, file.path) })
  }
  return { files, missing }
}

/** Copies what fits within the limits. */
export async function copyWithin(
  files: readonly WalkedFile[],
  target: string,
): Promise<{ copied: WalkedFile[]; leftOut: string[] }> {
  const { kept, leftOut } = withinLimits(files)
  await copyWalk(kept, target)
  return { copied: kept, leftOut: leftOut.map((file) => file.path) }
}

/** What a judge is shown, and what is too large for it. */
export function withinLimits(files: readonly WalkedFile[]): { kept: WalkedFile[]; leftOut: WalkedFile[] } {
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

/** Selects the parts of a run for the judge's prompt, fenced and bounded, so that one answer may suffice. */
import type { EvidenceFile } from '../evidence/verify_evidence.ts'
import { createDataFence, type DataFence } from './fence.ts'
import type { JudgeTempDir } from './judge_folder.ts'

/** Maximum bytes: of the transcript's beginning and end, of one file, of all files. */
const limits = { head: 16 * 1024, tail: 32 * 1024, file: 16 * 1024, files: 32 * 1024 }
/** Further files are only in the folder. */
const mostFiles = 20

/** One fenced text. */
interface Piece {
  name: string
  text: string
}

export interface JudgeRunView {
  /** The explanation of the fence for the judge. */
  told: string
  /** The pieces, each in its fence. */
  shown: string
  /** Whether the pieces contain all text of the run. */
  isWhole: boolean
}

export interface JudgeRunViewRequest {
  room: Pick<JudgeTempDir, 'transcript' | 'harnessNotes' | 'outputs'>
  /** Files of the run, whose texts are shown for outputs. */
  files: readonly EvidenceFile[]
  /** Creates the fence around the data. */
  fenceOf?: ((texts: readonly string[]) => DataFence) | undefined
}

export function buildJudgeRunView({ room, files, fenceOf = createDataFence }: JudgeRunViewRequest): JudgeRunView {
  const transcript = transcriptPieces(room.transcript)
  const notes = room.harnessNotes === '' ? [] : [{ name: 'harness_notes.md', text: room.harnessNotes }]
  const outputs = outputPieces(room, files)
  const pieces = [...transcript, ...notes, ...outputs.pieces].filter(({ text }) => text !== '')
  const texts = pieces.map(({ name, text }) => `file: ${JSON.stringify(name.slice(0, 200))}\n\n${text}`)
  const fence = fenceOf(texts)
  const isWhole = transcript.length < 2 && outputs.isWhole
  return { told: fence.told, shown: texts.map(fence.around).join('\n\n'), isWhole }
}

function transcriptPieces(text: string): Piece[] {
  const bytes = Buffer.from(text)
  if (bytes.length <= limits.head + limits.tail) return [{ name: 'transcript.md', text }]
  return [
    { name: 'transcript.md (its beginning)', text: cleanCut(bytes.subarray(0, limits.head)) },
    { name: 'transcript.md (its end)', text: cleanCut(bytes.subarray(-limits.tail)) },
  ]
}

/** Whole text files, smaller ones first, up to the limits. */
function outputPieces(
  { outputs }: JudgeRunViewRequest['room'],
  files: readonly EvidenceFile[],
): { pieces: Piece[]; isWhole: boolean } {
  const bySize = outputs.toSorted((a, b) => a.bytes - b.bytes)
  const pieces: Piece[] = []
  let room = limits.files
  for (const { path, bytes } of bySize) {
    if (pieces.length === mostFiles || bytes > Math.min(room, limits.file)) break
    const name = `outputs/${path}`
    const text = files.find((file) => file.path === name)?.load()?.text
    if (text === undefined) continue
    pieces.push({ name, text })
    room -= bytes
  }
  return { pieces, isWhole: pieces.length === outputs.length }
}

/** Drops incomplete characters at both ends. */
function cleanCut(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufffd+|\ufffd+$/g, '')
}

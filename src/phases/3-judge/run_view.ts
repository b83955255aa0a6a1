/** What of a run stands in the judge's prompt, fenced and bounded, so that one answer may suffice. */
import type { EvidenceFile } from './evidence/verify.ts'
import { dataFence, type Fence } from './fence.ts'
import type { JudgeRoom } from './judge_room.ts'

/** Bytes at most: of the transcript's beginning and of its end, of one file, of all files. */
const limits = { head: 16 * 1024, tail: 32 * 1024, file: 16 * 1024, files: 32 * 1024 }
/** Further files are only in the folder. */
const mostFiles = 20

/** One piece of data. */
interface Piece {
  name: string
  text: string
}

export interface RunView {
  /** What the judge is told of the fence. */
  told: string
  /** The pieces, each in its fence. */
  shown: string
  /** Whether all text of the run is among them. */
  isWhole: boolean
}

export interface RunViewRequest {
  room: Pick<JudgeRoom, 'transcript' | 'harnessNotes' | 'outputs'>
  /** Of the run, by whose texts outputs are shown. */
  files: readonly EvidenceFile[]
  /** How the data is set apart. */
  fenceOf?: ((texts: readonly string[]) => Fence) | undefined
}

export function runView({ room, files, fenceOf = dataFence }: RunViewRequest): RunView {
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

/** Whole text files, the smaller first, as far as there is room. */
function outputPieces(
  { outputs }: RunViewRequest['room'],
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

/** Without the halves of characters at its ends. */
function cleanCut(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufffd+|\ufffd+$/g, '')
}

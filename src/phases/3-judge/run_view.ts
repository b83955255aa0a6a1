/** What of a run stands in the judge's prompt, fenced and bounded, so that one answer may suffice. */
import { open } from 'node:fs/promises'
import path from 'node:path'
import { dataFence, type Fence } from './fence.ts'
import type { JudgeRoom } from './judge_room.ts'

/** Bytes at most: of the transcript's beginning and of its end, of one file, of all files. */
const limits = { head: 16 * 1024, tail: 32 * 1024, file: 16 * 1024, files: 32 * 1024 }
/** Further files are only in the folder. */
const mostFiles = 20

/** One piece of data; `whole` false: more of it lies in the folder. */
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

/** `fenceOf`: how the data is set apart. */
export async function runView(
  room: JudgeRoom,
  fenceOf: (texts: readonly string[]) => Fence = dataFence,
): Promise<RunView> {
  const transcript = transcriptPieces(room.transcript)
  const files = await filePieces(room)
  const pieces = [...transcript, ...files.pieces]
  const texts = pieces.map(({ name, text }) => `file: ${JSON.stringify(name.slice(0, 200))}\n\n${text}`)
  const fence = fenceOf(texts)
  const isWhole = transcript.length < 2 && files.isWhole
  return { told: fence.told, shown: texts.map(fence.around).join('\n\n'), isWhole }
}

function transcriptPieces(text: string): Piece[] {
  if (text === '') return []
  const bytes = Buffer.from(text)
  if (bytes.length <= limits.head + limits.tail) return [{ name: 'transcript.md', text }]
  return [
    { name: 'transcript.md (its beginning)', text: cleanCut(bytes.subarray(0, limits.head)) },
    { name: 'transcript.md (its end)', text: cleanCut(bytes.subarray(-limits.tail)) },
  ]
}

/** Whole text files, the smaller first, as far as there is room. */
async function filePieces({
  cwd,
  outputs,
  hasHarnessNotes,
}: JudgeRoom): Promise<{ pieces: Piece[]; isWhole: boolean }> {
  const names = outputs.map((file) => ({ name: `outputs/${file.path}`, bytes: file.bytes }))
  const notes = hasHarnessNotes ? [{ name: 'harness_notes.md', bytes: 0 }] : []
  const small = [...notes, ...names.sort((a, b) => a.bytes - b.bytes)]
  const pieces: Piece[] = []
  let room = limits.files
  for (const { name, bytes } of small) {
    if (pieces.length === mostFiles || bytes > Math.min(room, limits.file)) break
    const text = await textIn(path.join(cwd, name), limits.file)
    if (text === null) continue
    pieces.push({ name, text })
    room -= Buffer.byteLength(text)
  }
  return { pieces, isWhole: pieces.length === small.length }
}

/** At most so many bytes of a text file; null: it is none. */
async function textIn(file: string, most: number): Promise<string | null> {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, 0)
  const bytes = buffer.subarray(0, bytesRead)
  return bytes.includes(0) ? null : cleanCut(bytes)
}

/** Without the halves of characters at its ends. */
function cleanCut(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufffd+|\ufffd+$/g, '')
}

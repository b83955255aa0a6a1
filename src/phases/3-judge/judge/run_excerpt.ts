/** Selects the parts of a run for the judge's prompt, its images too, fenced and bounded, so that one answer may suffice. */
import { readFile } from 'node:fs/promises'
import type { WalkedFile } from '../../../base/fs/files.ts'
import { findFileImageType, imageLimits, type TaskImage } from '../../../base/fs/image_type.ts'
import { createDataFence, type DataFence } from '../../../base/text/fence.ts'
import type { Engine } from '../../../engines/engine.ts'
import type { EvidenceFile } from '../evidence/verify_evidence.ts'
import type { JudgeTempDir } from './judge_folder.ts'

/** Maximum bytes: of the transcript's beginning and end, of one file, of all files, of a list of names or notes. */
const limits = { head: 16 * 1024, tail: 32 * 1024, file: 16 * 1024, files: 32 * 1024, list: 8 * 1024 }
/** Further files are only in the folder. */
const mostFiles = 20

interface Piece {
  name: string
  text: string
}

export interface JudgeRunView {
  /** The explanation of the fence for the judge. */
  told: string
  shown: string
  /** Whether the pieces contain all text of the run. */
  isWhole: boolean
  /** How many images are attached to the question, and listed as `attached images`. */
  attachedImages: number
  /** How many images the judge's tools can open, listed as `images to open`. */
  imagesToOpen: number
  /** How many images it may not be able to see, listed as `images not shown`. */
  hiddenImages: number
}

export interface JudgeRunViewRequest {
  tempDir: Pick<JudgeTempDir, 'transcript' | 'dialogue' | 'harnessNotes' | 'outputs' | 'texts'>
  images: JudgeImages
  /** Files of the run, whose texts are shown for outputs. */
  files: readonly EvidenceFile[]
  /** The limits are divided by it, for a model that takes less; absent: 1. */
  shorter?: number
  fenceOf?: ((texts: readonly string[]) => DataFence) | undefined
}

export function buildJudgeRunView({
  tempDir,
  images: { attached, opens, others },
  files,
  shorter = 1,
  fenceOf = createDataFence,
}: JudgeRunViewRequest): JudgeRunView {
  const transcript = transcriptPieces(tempDir.transcript, shorter)
  const outputs = outputPieces(tempDir, files, shorter)
  const images = [
    listNames(
      'attached images',
      attached.map(({ name }) => name),
    ),
    listNames(opens ? 'images to open' : 'images not shown', others),
  ]
  const notes = { name: 'harness_notes.md', text: tempDir.harnessNotes }
  const dialogue = { name: 'the conversation', text: tempDir.dialogue }
  const lists = [notes, ...images].map((list) => ({ ...list, text: firstLines(list.text, limits.list / shorter) }))
  const pieces = [dialogue, ...transcript, ...outputs.pieces, ...lists].filter(({ text }) => text !== '')
  const texts = pieces.map(({ name, text }) => `file: ${JSON.stringify(name.slice(0, 200))}\n\n${text}`)
  const fence = fenceOf(texts)
  const isWhole = transcript.length < 2 && outputs.isWhole && lists[0]?.text === tempDir.harnessNotes
  return {
    told: fence.told,
    shown: texts.map(fence.around).join('\n\n'),
    isWhole,
    attachedImages: attached.length,
    imagesToOpen: opens ? others.length : 0,
    hiddenImages: opens ? 0 : others.length,
  }
}

/** The names of images, which are data as well, in the order of the images. */
function listNames(name: string, names: readonly string[]): Piece {
  const lines = names.map((one, index) => `${index + 1}. ${JSON.stringify(one.slice(0, 200))}`)
  return { name, text: lines.join('\n') }
}

/** Whole lines up to `most` characters, then how many more there are. */
function firstLines(text: string, most: number): string {
  if (text.length <= most) return text
  const kept = text.slice(0, text.lastIndexOf('\n', most) + 1)
  return `${kept}… ${text.slice(kept.length).trimEnd().split('\n').length} more\n`
}

function transcriptPieces(text: string, shorter: number): Piece[] {
  const [head, tail] = [limits.head / shorter, limits.tail / shorter]
  const bytes = Buffer.from(text)
  if (bytes.length <= head + tail) return [{ name: 'transcript.md', text }]
  return [
    { name: 'transcript.md (its beginning)', text: cleanCut(bytes.subarray(0, head)) },
    { name: 'transcript.md (its end)', text: cleanCut(bytes.subarray(-tail)) },
  ]
}

/** Whole texts of files and documents, smaller ones first, up to the limits. */
function outputPieces(
  { outputs, texts }: JudgeRunViewRequest['tempDir'],
  files: readonly EvidenceFile[],
  shorter: number,
): { pieces: Piece[]; isWhole: boolean } {
  const bySize = outputs
    .map(({ path, bytes }) => ({ path, bytes: Buffer.byteLength(texts.get(`outputs/${path}`) ?? '') || bytes }))
    .sort((a, b) => a.bytes - b.bytes)
  const pieces: Piece[] = []
  let tempDir = limits.files / shorter
  for (const { path, bytes } of bySize) {
    if (pieces.length === mostFiles || bytes > Math.min(tempDir, limits.file / shorter)) break
    const name = `outputs/${path}`
    const text = files.find((file) => file.path === name)?.load()?.text
    if (text === undefined) continue
    pieces.push({ name: texts.has(name) ? `${name} (its text)` : name, text })
    tempDir -= bytes
  }
  return { pieces, isWhole: pieces.length === outputs.length }
}

/** Drops incomplete characters at both ends. */
function cleanCut(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufffd+|\ufffd+$/g, '')
}

const mostImages = 8

/** Names are relative to the judge's folder: `outputs/…`. */
export interface JudgeImages {
  attached: readonly (TaskImage & { name: string })[]
  /** Whether the judge's own tools open the others. */
  opens: boolean
  others: readonly string[]
}

/** Attaches the first images within the limits if the engine takes them. */
export async function readJudgeImages(
  outputs: readonly WalkedFile[],
  seesImages: Engine['seesImages'],
): Promise<JudgeImages> {
  const attached: (TaskImage & { name: string })[] = []
  const others: string[] = []
  let left = imageLimits.total
  for (const { path, source, bytes } of outputs) {
    const mediaType = await findFileImageType(source)
    if (mediaType === null) continue
    const name = `outputs/${path}`
    const fits = attached.length < mostImages && bytes <= Math.min(imageLimits.bytes, left)
    if (seesImages !== 'attached' || !fits) others.push(name)
    else {
      attached.push({ name, mediaType, data: (await readFile(source)).toString('base64') })
      left -= bytes
    }
  }
  return { attached, opens: seesImages !== undefined, others }
}

export function withoutAttachedImages({ attached, others }: JudgeImages): JudgeImages {
  return { attached: [], opens: false, others: [...attached.map(({ name }) => name), ...others] }
}

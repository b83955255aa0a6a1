/** The two deliveries of a comparison, and the folder in which a judge sees them as D1 and D2, blind. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Comparison } from '../../../../schemas/comparison.ts'
import type { InputFile } from '../../../../schemas/suite.ts'
import { copyWalk, hashWalk, type WalkedFile } from '../../../base/files.ts'
import { canonicalJson, sha256 } from '../../../base/json.ts'
import { openRoom } from '../../../base/room.ts'
import { copyWithin, inputFiles, withinLimits } from '../judge_room.ts'
import type { Blinder, BlindText } from './blind.ts'

/** What one agent delivered. */
export interface Delivery {
  response: string
  outputs: readonly WalkedFile[]
}

/** What the judge is told of a delivery besides the files. */
export interface Shown {
  hasResponse: boolean
  hasOutputs: boolean
  /** Names of files that are too large to be shown. */
  leftOut: readonly BlindText[]
}

export interface ComparisonRoom extends AsyncDisposable {
  /** The judge's working folder, absolute: D1/, D2/ and inputs/. */
  cwd: string
  mark: string
  /** In the order of the request. */
  shown: readonly [Shown, Shown]
  hasInputs: boolean
}

/** The order of the deliveries is all that changes from one judgement to the other. */
export interface RoomRequest {
  deliveries: readonly [Delivery, Delivery]
  inputs: readonly InputFile[]
  blind: Blinder
}

/** Builds the room. Use with `await using`; a failure on the way leaves nothing behind. */
export async function openComparisonRoom({ deliveries, inputs, blind }: RoomRequest): Promise<ComparisonRoom> {
  const room = await openRoom()
  try {
    const cwd = path.join(room.path, 'work')
    const given = await copyWithin((await inputFiles(inputs)).files, path.join(cwd, 'inputs'))
    return {
      cwd,
      mark: room.mark,
      shown: [
        await fill(path.join(cwd, 'D1'), deliveries[0], blind),
        await fill(path.join(cwd, 'D2'), deliveries[1], blind),
      ],
      hasInputs: given.copied.length > 0,
      [Symbol.asyncDispose]: () => room[Symbol.asyncDispose](),
    }
  } catch (error) {
    await room[Symbol.asyncDispose]()
    throw error
  }
}

async function fill(folder: string, { response, outputs }: Delivery, blind: Blinder): Promise<Shown> {
  await mkdir(folder, { recursive: true })
  const hasResponse = response.trim() !== ''
  if (hasResponse) await writeFile(path.join(folder, 'response.md'), blind(response))
  const target = path.join(folder, 'outputs')
  const { kept, leftOut } = withinLimits(outputs)
  const taken = new Set<string>()
  for (const file of kept) {
    const place = freeName(blind(file.path), taken)
    const text = await textIn(file.source)
    if (text === null) await copyWalk([{ ...file, path: place }], target)
    else {
      await mkdir(path.dirname(path.join(target, place)), { recursive: true })
      await writeFile(path.join(target, place), blind(text))
    }
  }
  return { hasResponse, hasOutputs: kept.length > 0, leftOut: leftOut.map((file) => blind(file.path)) }
}

/** Two names that differ only in what is hidden stay two files. */
function freeName(name: string, taken: Set<string>): string {
  const { dir, name: stem, ext } = path.posix.parse(name)
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = path.posix.join(dir, `${stem}-${number}${ext}`)
  taken.add(free)
  return free
}

/** null: no text, so that nothing can be taken out of it. */
async function textIn(file: string): Promise<string | null> {
  const bytes = await readFile(file)
  if (bytes.subarray(0, 8192).includes(0)) return null
  const text = bytes.toString('utf8')
  return text.includes('\uFFFD') ? null : text
}

/** How long a delivery is, before anything was taken out. */
export function lengthOf({ response, outputs }: Delivery): NonNullable<Comparison['lengths']>['A'] {
  const bytes = outputs.reduce((sum, file) => sum + file.bytes, 0)
  return { response_chars: response.length, files: outputs.length, bytes }
}

/** Hex sha256 of all that a judge may see of a delivery. */
export async function digestOf({ response, outputs }: Delivery): Promise<string> {
  return sha256(canonicalJson({ response, outputs: await hashWalk([...outputs]) }))
}

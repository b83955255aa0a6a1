/** The thread in which details of runs are packed: folders in, what was packed of them out. */
import path from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { redactorFor } from '../../base/redact.ts'
import { type Answered, type Asked, most, type Pair } from './details_ahead.ts'
import { type PackedDetail, packedDetail } from './packed_detail.ts'
import { previousOf } from './previous.ts'
import { isReused } from './reused.ts'
import { writeNew } from './sidecars.ts'

const given = z.object({ folder: z.string(), env: z.record(z.string(), z.string().optional()) }).parse(workerData)
const redactor = redactorFor(given.env)
const before = previousOf(given.folder)?.folder ?? null

/** What was compared already, while whoever will ask was at other work. */
const compared = new Map<string, boolean>()

parentPort?.on('message', (asked: Asked) => parentPort?.postMessage(answerTo(asked)))

function answerTo(asked: Asked): Answered {
  if ('write' in asked) return { written: writtenOf(asked.write) }
  if ('compare' in asked) {
    return { isReused: asked.compare.map((pair) => compared.get(nameOf(pair)) ?? isReused(...pair)) }
  }
  return { packed: asked.pack.flatMap((folder) => packedIn(folder)) }
}

let made = 0

function packedIn(folder: string): [string, PackedDetail][] {
  if (made > most) return []
  if (before !== null) {
    const pair: Pair = [folder, path.join(before, path.relative(given.folder, folder))]
    compared.set(nameOf(pair), isReused(...pair))
  }
  try {
    const detail = packedDetail(folder, redactor)
    made += detail.text.length
    return [[folder, detail]]
  } catch {
    return [] // whoever needs it tries again, and says what is wrong
  }
}

function nameOf(pair: Pair): string {
  return pair.join('\0')
}

function writtenOf(files: Extract<Asked, { write: unknown }>['write']): number {
  let written = 0
  try {
    for (const { file, text } of files) {
      writeNew(file, text)
      written += 1
    }
  } catch {
    // whoever asked writes them all, and says what is wrong
  }
  return written
}

/** The thread in which details of runs are packed: folders in, what was packed of them out. */
import path from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { redactorFor } from '../../base/redact.ts'
import { type Answered, type Asked, most, type Pair } from './details_ahead.ts'
import { type PackedDetail, packedDetail } from './packed_detail.ts'
import { previousOf } from './previous.ts'
import { isReused, isTaken } from './reused.ts'
import { writeNew } from './sidecars.ts'

const given = z.object({ env: z.record(z.string(), z.string().optional()) }).parse(workerData)
const redactor = redactorFor(given.env)

/** What was compared already, while whoever will ask was at other work. */
const compared = new Map<string, boolean>()

parentPort?.on('message', (asked: Asked) => parentPort?.postMessage(answerTo(asked)))

function answerTo(asked: Asked): Answered {
  if ('write' in asked) return { written: writtenOf(asked.write) }
  if ('compare' in asked) {
    return { isReused: asked.compare.map((pair) => compared.get(nameOf(pair)) ?? isReused(...pair)) }
  }
  return { packed: asked.pack.flatMap((folder) => packedIn(asked.of, folder)) }
}

let made = 0

function packedIn(benchmark: string, folder: string): [string, PackedDetail][] {
  if (made > most) return []
  try {
    const { detail, record } = packedDetail(folder, redactor)
    made += detail.text.length
    const before = beforeOf(benchmark)
    if (before !== null) {
      const pair: Pair = [folder, path.join(before, path.relative(benchmark, folder))]
      compared.set(nameOf(pair), isTaken(record, pair[1]))
    }
    return [[folder, detail]]
  } catch {
    return [] // whoever needs it tries again, and says what is wrong
  }
}

const befores = new Map<string, string | null>()

/** The folder of the iteration before; null: there is none. */
function beforeOf(benchmark: string): string | null {
  let before = befores.get(benchmark)
  if (before === undefined) {
    before = previousOf(benchmark)?.folder ?? null
    befores.set(benchmark, before)
  }
  return before
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

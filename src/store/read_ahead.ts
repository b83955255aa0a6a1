/** Reads what counts of many runs beside other work: what thousands of small files take of the system is another thread's. */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { threadOptions } from '../base/thread.ts'
import type { Ahead } from './damage.ts'
import { type RunBytes, told, type Wanted } from './run_bytes.ts'

/** Fewer are read sooner than a thread starts. */
const worthAThread = 2000

/** Runs that are left to whoever asks while the thread starts. */
const meanwhile = 512

/** Runs that are asked for at once, and how many such requests are under way: the next are read while these are parsed. */
const batch = { runs: 128, underWay: 3 }

/** Not there where the source itself is run: then nothing is read ahead, nor where one core has to do everything. */
const compiled = availableParallelism() > 1 ? new URL('./read_thread.js', import.meta.url) : null

/** What was read of a run; what was not is left to whoever needs it. */
export interface RunAhead {
  record: Ahead
  grading: Ahead
  /** False: it was not graded again. */
  again: boolean
}

const unread: RunAhead = { record: undefined, grading: undefined, again: true }

/**
 * Calls `take` for each run, in their order. A thread that can't be had, or that fails, is done without. Rejects with what `take`
 * throws; `thread`: its program.
 */
export async function readAhead<R extends { run_id: string }>(
  benchmark: string,
  runs: readonly R[],
  take: (run: R, ahead: RunAhead) => void,
  thread: URL | null = compiled,
): Promise<void> {
  const isWorthIt = thread !== null && runs.length >= worthAThread && existsSync(thread)
  await using reader = isWorthIt ? startReader(thread) : null
  let next = reader === null ? runs.length : meanwhile
  const own = runs.slice(0, next)
  const asked: { some: readonly R[]; answer: Promise<RunBytes | null> }[] = []
  const ask = (room: ArrayBuffer) => {
    const some = runs.slice(next, next + batch.runs)
    next += some.length
    if (reader === null || some.length === 0) return
    const runIds = some.map(({ run_id }) => run_id)
    asked.push({ some, answer: reader.read({ benchmark, runIds, room }) })
  }
  for (let count = 0; count < batch.underWay; count += 1) ask(new ArrayBuffer(0))
  for (const run of own) take(run, unread)
  for (let one = asked.shift(); one !== undefined; one = asked.shift()) {
    const read = await one.answer
    const texts = read && textsOf(read)
    ask(read?.room ?? new ArrayBuffer(0))
    for (const [at, run] of one.some.entries()) take(run, texts?.[at] ?? unread)
  }
}

interface Reader extends AsyncDisposable {
  /** Resolves in the order in which it is called; null: the thread is no more. Takes the room away. */
  read(wanted: Wanted): Promise<RunBytes | null>
}

function startReader(thread: URL): Reader | null {
  const worker = workerOf(thread)
  if (worker === null) return null
  const waiting: ((read: RunBytes | null) => void)[] = []
  let isGone = false
  const leave = () => {
    isGone = true
    for (const answer of waiting.splice(0)) answer(null)
  }
  worker.on('message', (read: RunBytes) => waiting.shift()?.(read))
  worker.on('error', leave)
  worker.on('exit', leave)
  return {
    read(wanted) {
      if (isGone) return Promise.resolve(null)
      worker.postMessage(wanted, [wanted.room])
      return new Promise((answer) => waiting.push(answer))
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}

/** Null: the system gives no thread. */
function workerOf(thread: URL): Worker | null {
  try {
    return new Worker(thread, threadOptions)
  } catch {
    return null
  }
}

function textsOf({ room, lengths }: RunBytes): RunAhead[] {
  const bytes = Buffer.from(room)
  let end = 0
  const text = (length = 0): Ahead => {
    if (length < 0) return length === told.absent ? null : undefined
    end += length
    return bytes.toString('utf8', end - length, end)
  }
  return Array.from({ length: lengths.length / 3 }, (_, at) => ({
    record: text(lengths[3 * at]),
    grading: text(lengths[3 * at + 1]),
    again: lengths[3 * at + 2] !== told.absent,
  }))
}

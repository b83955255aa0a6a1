/** Packs what the page shows of many runs beside other work: reading and packing thousands of small files is a thread's. */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { threadOptions } from '../../base/thread.ts'
import type { PackedDetail } from './packed_detail.ts'
import type { NewFile } from './sidecars.ts'

/** Fewer are packed sooner than a thread starts. */
const worthAThread = 64

/** Characters that are packed ahead at most; what is beyond is left to whoever needs it. */
export const most = 16_000_000

/** Beside the program's bundle; not there where the source itself is run: then nothing is packed ahead, nor where one core has to do everything. */
const bundled = availableParallelism() > 1 ? new URL('../../../program/detail_thread.js', import.meta.url) : null

/** Two folders of runs, absolute: one of this benchmark, one of the iteration before. */
export type Pair = readonly [own: string, before: string]

/** What the thread is asked (to pack runs `of` a benchmark, …), and what it answers: by folder, what was packed; of the pairs, whether the first was taken from the second; how many files it wrote. */
export type Asked =
  | { pack: readonly string[]; of: string }
  | { compare: readonly Pair[] }
  | { write: readonly NewFile[] }
export type Answered =
  | { packed: (readonly [folder: string, PackedDetail])[] }
  | { isReused: boolean[] }
  | { written: number }

export interface DetailsAhead extends AsyncDisposable {
  /** Starts the thread, which takes as long as packing a hundred runs, before there is anything to pack. */
  warmUp(): void
  /** Folders of runs of this benchmark, absolute, that are as they will be. */
  prepare(benchmark: string, folders: readonly string[]): void
  /** By folder, when all that was asked for is done; what is not in it is left to whoever needs it. */
  packed(): Promise<ReadonlyMap<string, PackedDetail>>
  /** Of each pair whether the first was taken from the second; null: whoever needs it is to look. */
  compared(pairs: readonly Pair[]): Promise<boolean[] | null>
  /** Writes files beside a page; false: whoever needs them is to write them. */
  write(files: readonly NewFile[]): Promise<boolean>
}

export interface DetailsOf {
  runs: number
  /** Of the user, whose credentials are kept out. */
  env: Readonly<Record<string, string | undefined>>
}

/** `thread`: its program. null: there is none, or it would take longer to start than the work. */
export function openDetails(of: DetailsOf, thread: URL | null = bundled): DetailsAhead | null {
  if (of.runs < worthAThread || thread === null || !existsSync(thread)) return null
  const found = new Map<string, PackedDetail>()
  const asker = new Asker(thread, { env: { ...of.env } })
  const underWay: Promise<unknown>[] = []
  return {
    warmUp() {
      asker.start()
    },
    prepare(benchmark, folders) {
      if (folders.length === 0) return
      const packing = asker.ask({ pack: folders, of: benchmark }).then((answer) => {
        if (answer === null || !('packed' in answer)) return
        for (const [folder, detail] of answer.packed) found.set(folder, detail)
      })
      underWay.push(packing)
    },
    async packed() {
      await Promise.all(underWay)
      return found
    },
    async compared(pairs) {
      const answer = asker.isStarted ? await asker.ask({ compare: pairs }) : null
      return answer !== null && 'isReused' in answer ? answer.isReused : null
    },
    async write(files) {
      const answer = asker.isStarted ? await asker.ask({ write: files }) : null
      return answer !== null && 'written' in answer && answer.written === files.length
    },
    async [Symbol.asyncDispose]() {
      await asker.end()
      found.clear() // who goes on with other work needs the memory
    },
  }
}

/** Asks a thread that is started with the first question at the latest, and answers in its order. One that breaks answers null. */
class Asker {
  readonly #program: URL
  readonly #data: unknown
  readonly #waiting: ((answer: Answered | null) => void)[] = []
  #worker: Worker | null = null
  #isOver = false

  constructor(program: URL, data: unknown) {
    this.#program = program
    this.#data = data
  }

  get isStarted(): boolean {
    return this.#worker !== null
  }

  start(): void {
    if (this.#isOver) return
    try {
      this.#worker ??= this.#startWorker()
    } catch {
      this.#over() // no thread can be had
    }
  }

  ask(question: Asked): Promise<Answered | null> {
    this.start()
    if (this.#isOver) return Promise.resolve(null)
    const answer = new Promise<Answered | null>((resolve) => this.#waiting.push(resolve))
    this.#worker?.postMessage(question)
    return answer
  }

  async end(): Promise<void> {
    await this.#worker?.terminate()
  }

  #startWorker(): Worker {
    const worker = new Worker(this.#program, { ...threadOptions, workerData: this.#data })
    worker.on('message', (answer: Answered) => this.#waiting.shift()?.(answer))
    worker.on('error', () => this.#over())
    worker.on('exit', () => this.#over())
    return worker
  }

  #over(): void {
    this.#isOver = true
    for (const answer of this.#waiting.splice(0)) answer(null)
  }
}

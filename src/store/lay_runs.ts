/** Lays many cached runs out beside other work: what thousands of small files take of the system is another thread's. */
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { threadOptions } from '../base/thread.ts'
import { type LaidFile, type Laying, layFiles, layRun } from './lay_run.ts'
import type { Answer, Asked } from './lay_thread.ts'

export interface Layer extends AsyncDisposable {
  /** Resolves when all of them are in their places, in the order in which it is called. Rejects with what the file system says. */
  lay(layings: readonly Laying[]): Promise<void>
  /** The same for small files. */
  layFiles(files: readonly LaidFile[]): Promise<void>
}

/** Fewer are laid sooner than a thread starts. */
const worthAThread = 64

/** Not there where the source itself is run: then it is done here. */
const compiled = new URL('./lay_thread.js', import.meta.url)

/** For so many runs; `thread`: the program of the thread. */
export function openLayer(runs: number, thread = compiled): Layer {
  if (runs >= worthAThread && existsSync(thread)) return layThere(new Worker(thread, threadOptions))
  return {
    lay: (layings) => heardOf(layHere(layings)),
    layFiles: (files) => heardOf(layFilesHere(files)),
    async [Symbol.asyncDispose]() {},
  }
}

async function layHere(layings: readonly Laying[]): Promise<void> {
  for (const one of layings) layRun(one)
}

async function layFilesHere(files: readonly LaidFile[]): Promise<void> {
  layFiles(files)
}

/** Whoever asked hears of what goes wrong when it waits, and after the first mistake it may wait for no other. */
function heardOf(work: Promise<void>): Promise<void> {
  work.catch(() => {})
  return work
}

interface Asker {
  done: () => void
  fail: (error: unknown) => void
}

function layThere(worker: Worker): Layer {
  const waiting: Asker[] = []
  let broken: unknown = null
  worker.on('message', (answer: Answer) => {
    const asker = waiting.shift()
    if (answer === null) asker?.done()
    else asker?.fail(Object.assign(new Error(answer.message), { code: answer.code }))
  })
  const over = (error: unknown) => {
    broken ??= error
    for (const asker of waiting.splice(0)) asker.fail(error)
  }
  worker.on('error', over)
  worker.on('exit', () => over(new Error('the thread that lays runs has ended')))
  const ask = (asked: Asked) => {
    if (broken !== null) return heardOf(Promise.reject(broken))
    const laid = heardOf(new Promise<void>((done, fail) => waiting.push({ done, fail })))
    worker.postMessage(asked)
    return laid
  }
  return {
    lay: (runs) => ask({ runs }),
    layFiles: (files) => ask({ files }),
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}

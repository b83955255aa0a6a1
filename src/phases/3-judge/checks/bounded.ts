/** Work that an author's pattern may never end (backtracking, wide queries): done in a worker thread with a time and memory limit. */
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { messageOf } from '../../../base/error.ts'

const limitMs = 5000
const require = createRequire(import.meta.url)

/** Plain JavaScript, given as text: a worker can't load TypeScript, and the built tree has no file of its own for it. */
const program = `
const { parentPort, workerData: job } = require('node:worker_threads')
const work = {
  regex() {
    const pattern = new RegExp(job.pattern, job.flags)
    for (const [index, text] of job.texts.entries()) {
      const match = pattern.exec(text)
      if (match) return { index, at: match.index }
    }
    return { index: -1, at: -1 }
  },
  json_path() {
    const found = require(job.library).query(job.query, job.value)
    return { matches: found.nodes.length, first: found.nodes[0]?.value, at: found.nodes[0]?.path }
  },
}
try {
  parentPort.postMessage({ value: work[job.kind]() })
} catch (error) {
  parentPort.postMessage({ error: error.message })
}
`

type Job =
  | { kind: 'regex'; pattern: string; flags: string; texts: readonly string[] }
  | { kind: 'json_path'; query: string; value: unknown }

const regexFound = z.object({ index: z.number(), at: z.number() })
const jsonFound = z.object({ matches: z.number(), first: z.unknown(), at: z.string().optional() })
const reply = z.union([z.object({ value: z.unknown() }), z.object({ error: z.string() })])

/** What came of it, or why it did not end well (a bad pattern, the time limit). */
export type Bounded<T> = { value: T } | { error: string }

/** The first text that matches and where; `index` is -1 when none does. Rejects only when aborted. */
export async function findPattern(
  request: { pattern: string; flags: string; texts: readonly string[] },
  signal: AbortSignal,
): Promise<Bounded<z.infer<typeof regexFound>>> {
  const end = await inWorker({ kind: 'regex', ...request }, signal)
  return 'error' in end ? end : { value: regexFound.parse(end.value) }
}

/** How many nodes of the value the query matches, and the first. Rejects only when aborted. */
export async function queryJson(
  request: { query: string; value: unknown },
  signal: AbortSignal,
): Promise<Bounded<z.infer<typeof jsonFound>>> {
  const end = await inWorker({ kind: 'json_path', ...request }, signal)
  return 'error' in end ? end : { value: jsonFound.parse(end.value) }
}

async function inWorker(job: Job, signal: AbortSignal): Promise<Bounded<unknown>> {
  signal.throwIfAborted()
  const worker = new Worker(program, {
    eval: true,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    workerData: { ...job, library: require.resolve('json-p3') },
  })
  try {
    return await ended(worker, signal)
  } finally {
    await worker.terminate()
  }
}

function ended(worker: Worker, signal: AbortSignal): Promise<Bounded<unknown>> {
  let timer: NodeJS.Timeout | undefined
  let abort = () => {}
  const end = new Promise<Bounded<unknown>>((resolve, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    // starting a thread on a busy machine is not the pattern's fault, so the clock starts with it
    worker.once('online', () => {
      timer = setTimeout(() => resolve({ error: `it took longer than ${limitMs / 1000} s` }), limitMs)
    })
    worker.once('message', (message) => resolve(reply.parse(message)))
    worker.once('error', (error) => resolve({ error: messageOf(error) }))
    worker.once('exit', () => resolve({ error: 'it ended without an answer' }))
  })
  return end.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  })
}

/** Runs an author's patterns and queries, which may never end (backtracking), in a worker thread with a time and memory limit. */
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import * as z from 'zod'
import { errorMessage } from '../errors/error.ts'
import { startActiveTimeout } from '../time/active_time.ts'

const limitMs = 5000
const require = createRequire(import.meta.url)

/** The file of a module, for a worker to load. The module must be in `dependencies`: the bundle has none that a worker finds. */
export function moduleFile(name: string): string {
  return require.resolve(name)
}

/** Plain JavaScript as text: a worker can't load TypeScript, and the build has no separate file for it. */
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
  matching() {
    const pattern = new RegExp(job.pattern, job.flags)
    return job.groups.flatMap((texts, index) => (texts.some((text) => pattern.test(text)) ? [index] : []))
  },
  json_schema() {
    const ajv = new (require(job.ajv).default)(job.options)
    require(job.formats).default(ajv)
    const validate = ajv.compile(job.schema)
    if (validate(job.value) === true) return null
    const { instancePath, message, params } = validate.errors[0]
    return { at: instancePath, message, extra: params.additionalProperty ?? params.unevaluatedProperty }
  },
  csv() {
    const [header = [], ...rows] = require(job.library).parse(job.text, job.options)
    const places = job.columns.map((name) => header.indexOf(name))
    return { header, count: rows.length, rows: places.length === 0 ? [] : rows.map((row) => places.map((at) => row[at] ?? '')) }
  },
  json_path() {
    const found = require(job.library).query(job.query, job.value)
    return { matches: found.nodes.length, first: found.nodes[0]?.value, at: found.nodes[0]?.path }
  },
}
for (const file of [job.ajv, job.formats, job.library]) if (file) require(file)
parentPort.postMessage('loaded')
try {
  parentPort.postMessage({ value: work[job.kind]() })
} catch (error) {
  parentPort.postMessage({ error: error.message })
}
`

type Job =
  | { kind: 'regex'; pattern: string; flags: string; texts: readonly string[] }
  | { kind: 'matching'; pattern: string; flags: string; groups: readonly (readonly string[])[] }
  | { kind: 'json_path'; library: string; query: string; value: unknown }
  | { kind: 'json_schema'; ajv: string; formats: string; options: object; schema: unknown; value: unknown }
  | { kind: 'csv'; library: string; options: object; text: string; columns: readonly string[] }

const regexFound = z.object({ index: z.number(), at: z.number() })
const reply = z.union([
  z.object({ error: z.string() }).transform(({ error }) => ({ error, by: 'work' as const })),
  z.object({ value: z.unknown() }),
])

/** The result, or an error: the work itself threw (an invalid pattern, broken data), or a limit ended it. */
export type BoundedResult<T> = { value: T } | { error: string; by: 'work' | 'limit' }

/** The first text that matches and where; `index` is -1 when none matches. Rejects only when aborted. */
export async function findPattern(
  request: { pattern: string; flags: string; texts: readonly string[] },
  signal: AbortSignal,
): Promise<BoundedResult<z.infer<typeof regexFound>>> {
  return runBounded({ kind: 'regex', ...request }, regexFound, signal)
}

/** Runs the job and parses its result with `schema`. Rejects only when aborted. */
export async function runBounded<S extends z.ZodType>(
  job: Job,
  schema: S,
  signal: AbortSignal,
): Promise<BoundedResult<z.infer<S>>> {
  const end = await runInWorker(job, signal)
  return 'error' in end ? end : { value: schema.parse(end.value) }
}

async function runInWorker(job: Job, signal: AbortSignal): Promise<BoundedResult<unknown>> {
  signal.throwIfAborted()
  const worker = new Worker(program, {
    eval: true,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    workerData: job,
  })
  try {
    return await awaitWorkerReply(worker, signal, limitMs)
  } finally {
    await worker.terminate()
  }
}

/** Waits for the answer of a worker: `{ value }` or `{ error }`. Does not end the worker. Rejects only when aborted. */
function awaitWorkerReply(
  worker: Worker,
  signal: AbortSignal,
  longestMs: number,
): Promise<BoundedResult<unknown>> {
  let limit: Disposable | null = null
  let abort = () => {}
  const end = new Promise<BoundedResult<unknown>>((resolve, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const startClock = () => {
      limit = startActiveTimeout(longestMs, () =>
        resolve({ error: `it took longer than ${longestMs / 1000} s`, by: 'limit' }),
      )
    }
    // the clock starts when the libraries are loaded: a slow start on a busy machine is not the fault of the data
    worker.on('message', (message) => (message === 'loaded' ? startClock() : resolve(reply.parse(message))))
    worker.once('error', (error) => resolve({ error: errorMessage(error), by: 'limit' }))
    worker.once('exit', () => resolve({ error: 'it ended without an answer', by: 'limit' }))
  })
  return end.finally(() => {
    limit?.[Symbol.dispose]()
    signal.removeEventListener('abort', abort)
  })
}

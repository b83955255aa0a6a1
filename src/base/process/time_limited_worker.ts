/** Runs an author's patterns and queries, which may take long or never end (backtracking), in a worker thread with a time and memory limit. */
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
  pattern() {
    const pattern = job.library ? require(job.library).RE2JS.compile(job.pattern, job.flags) : new RegExp(job.pattern, job.flags)
    return job.groups.flatMap((texts, group) => {
      const text = texts.findIndex((one) => pattern.test(one))
      return text < 0 ? [] : [{ group, text, at: pattern.exec(texts[text]).index }]
    })
  },
  json_schema() {
    const { RE2JS } = require(job.re2)
    const regExp = (source, flags) => {
      try {
        if (job.patterns.has(source)) return RE2JS.compile(job.patterns.get(source))
      } catch {} // such as a count over 1000
      return new RegExp(source, flags)
    }
    regExp.code = 'new RegExp'
    const ajv = new (require(job.ajv).default)({ ...job.options, code: { regExp } })
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
try {
  for (const file of [job.library, job.ajv, job.formats, job.re2]) if (file !== undefined) require(file)
  parentPort.postMessage('loaded')
  parentPort.postMessage({ value: work[job.kind]() })
} catch (error) {
  parentPort.postMessage({ error: error.message })
}
`

type Job =
  /** `library`: RE2's, for a pattern and flags of it. */
  | {
      kind: 'pattern'
      library?: string
      pattern: string
      flags: string | number
      groups: readonly (readonly string[])[]
    }
  | { kind: 'json_path'; library: string; query: string; value: unknown }
  /** `patterns`: those of the schema that RE2 can run, as it reads them. */
  | ({ ajv: string; formats: string; re2: string } & {
      kind: 'json_schema'
      options: object
      patterns: ReadonlyMap<string, string>
      schema: unknown
      value: unknown
    })
  | { kind: 'csv'; library: string; options: object; text: string; columns: readonly string[] }

const reply = z.union([
  z.object({ error: z.string() }).transform(({ error }) => ({ error, by: 'work' as const })),
  z.object({ value: z.unknown() }),
])

/** The result, or an error: the work itself threw (an invalid pattern, broken data), or a limit ended it. */
export type BoundedResult<T> = { value: T } | { error: string; by: 'work' | 'limit' }

/** Runs the job and parses its result with `schema`. `longestMs`: null, there is no time limit. Rejects only when aborted. */
export async function runBounded<S extends z.ZodType>(
  job: Job,
  schema: S,
  signal: AbortSignal,
  longestMs: number | null = limitMs,
): Promise<BoundedResult<z.infer<S>>> {
  const end = await runInWorker(job, signal, longestMs)
  return 'error' in end ? end : { value: schema.parse(end.value) }
}

async function runInWorker(job: Job, signal: AbortSignal, longestMs: number | null): Promise<BoundedResult<unknown>> {
  signal.throwIfAborted()
  const worker = new Worker(program, {
    eval: true,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    workerData: job,
  })
  try {
    return await awaitWorkerReply(worker, signal, longestMs)
  } finally {
    await worker.terminate()
  }
}

/** Waits for the reply of a worker: `{ value }` or `{ error }`. Does not end the worker. Rejects only when aborted. */
function awaitWorkerReply(
  worker: Worker,
  signal: AbortSignal,
  longestMs: number | null,
): Promise<BoundedResult<unknown>> {
  let limit: Disposable | null = null
  let abort = () => {}
  let take = (_: unknown) => {}
  const end = new Promise<BoundedResult<unknown>>((resolve, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const startClock = () => {
      if (longestMs === null) return
      limit = startActiveTimeout(longestMs, () =>
        resolve({ error: `it took longer than ${longestMs / 1000} s`, by: 'limit' }),
      )
    }
    // the clock starts when the libraries are loaded: a slow start on a busy machine is not the fault of the data
    take = (message) => (message === 'loaded' ? startClock() : resolve(reply.parse(message)))
    worker.on('message', take)
    worker.once('error', (error) => resolve({ error: errorMessage(error), by: 'limit' }))
    worker.once('exit', () => resolve({ error: 'it ended without an answer', by: 'limit' }))
  })
  return end.finally(() => {
    limit?.[Symbol.dispose]()
    signal.removeEventListener('abort', abort)
    worker.off('message', take)
  })
}

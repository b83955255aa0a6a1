/** Work that an author's pattern may never end (backtracking, wide queries): done in a worker thread with a time and memory limit. */
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { messageOf } from './error.ts'

const limitMs = 5000
const require = createRequire(import.meta.url)

/** The file of a module, for a worker to load. */
export function moduleFile(name: string): string {
  return require.resolve(name)
}

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

/** What came of it, or why it did not end well: the work itself threw (a bad pattern, broken data), or a limit ended it. */
export type Bounded<T> = { value: T } | { error: string; by: 'work' | 'limit' }

/** The first text that matches and where; `index` is -1 when none does. Rejects only when aborted. */
export async function findPattern(
  request: { pattern: string; flags: string; texts: readonly string[] },
  signal: AbortSignal,
): Promise<Bounded<z.infer<typeof regexFound>>> {
  return bounded({ kind: 'regex', ...request }, regexFound, signal)
}

/** Does the job; what it gives is read by `schema`. Rejects only when aborted. */
export async function bounded<S extends z.ZodType>(
  job: Job,
  schema: S,
  signal: AbortSignal,
): Promise<Bounded<z.infer<S>>> {
  const end = await inWorker(job, signal)
  return 'error' in end ? end : { value: schema.parse(end.value) }
}

async function inWorker(job: Job, signal: AbortSignal): Promise<Bounded<unknown>> {
  signal.throwIfAborted()
  const worker = new Worker(program, {
    eval: true,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    workerData: job,
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
      timer = setTimeout(() => resolve({ error: `it took longer than ${limitMs / 1000} s`, by: 'limit' }), limitMs)
    })
    worker.once('message', (message) => resolve(reply.parse(message)))
    worker.once('error', (error) => resolve({ error: messageOf(error), by: 'limit' }))
    worker.once('exit', () => resolve({ error: 'it ended without an answer', by: 'limit' }))
  })
  return end.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  })
}

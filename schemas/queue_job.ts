/** Jobs and answers in the queue: a run for a worker, and its result. They contain nothing large and no secrets. */
import * as z from 'zod'
import { runSpec } from './plan.ts'

const hex = z.string().regex(/^[0-9a-f]{64}$/, 'must be a sha256')

/** Version of the format: jobs of another version are different jobs, in different queues. */
export const jobVersion = 2

/** What a worker must have to run the jobs of a queue. */
export const queueNeeds = z.object({
  engine: z.string(),
  account: z.string().nullable().describe('whose limit the runs count against, hashed; null: no one knows'),
  base_url: z.string().nullable(),
  tags: z.array(z.string()),
})

export const queueJob = z.object({
  schema_version: z.literal(jobVersion),
  benchmark: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .describe('which benchmark it is for: its results lie in a folder of that name'),
  attempt: z.number().int().positive().describe('the first, or one after a failure of infrastructure'),
  run: runSpec.describe('input files by their path in the bundle `inputs`'),
  inputs: hex.nullable().describe('the bundle with all input files; null: none'),
  prompt: hex
    .nullable()
    .describe('the bundle of a prompt that is too large for a queue, its file `prompt`; null: `run` has it'),
  skills: z.record(hex, hex).describe('the bundle of each skill version, by its sha256'),
  pass_env: z.array(z.string()),
  sandbox: z.object({ mode: z.enum(['auto', 'required', 'off']), network: z.enum(['none', 'open']).nullable() }),
  idle_ms: z.number().positive().nullable(),
  keep_work: z.boolean(),
  expires_at: z.iso.datetime().describe('signed, it is run no later: what was copied is of no use for ever'),
  signature: z.string().nullable(),
})

/** Counts that are kept with a released job, so that it is not released for ever. */
export const givenBack = z.object({
  shortages: z.number().int().nonnegative().default(0).describe('how often a worker was short of something'),
  unfit: z.array(z.string()).default([]).describe('each worker that lacked the program or the key'),
})

/** A worker's answer; the run itself is in the shared folder. */
export const queueAnswer = z.object({
  attempt: z.number().int().positive().describe('the number of the folder that holds it'),
  sha256: hex.describe('of its run.json'),
  retry: z.object({ afterMs: z.number().nullable(), uncounted: z.boolean() }).nullable(),
  worker: z.string(),
})

/** An entry in the registry of a queue server. */
export const queueNote = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('queue'), queue: z.string(), needs: queueNeeds, at: z.iso.datetime() }),
  z.object({
    kind: z.literal('worker'),
    worker: z.string(),
    host: z.string(),
    pid: z.number().int(),
    version: z.string(),
    engines: z.array(z.string()),
    tags: z.array(z.string()),
    queues: z.array(z.string()).default([]).describe('those that it takes from'),
    lacks: z
      .array(z.string())
      .default([])
      .describe('what it could not do lately for want of a program or a key, hashed'),
    places: z.number().int().positive(),
    busy: z.number().int().nonnegative(),
    done: z.number().int().nonnegative(),
    failed: z.number().int().nonnegative(),
    refusals: z.number().int().nonnegative(),
    started_at: z.iso.datetime(),
    at: z.iso.datetime(),
  }),
  z
    .object({
      kind: z.literal('limit'),
      benchmark: z.string(),
      account: z.string(),
      limit: z.number().int().positive(),
      at: z.iso.datetime(),
    })
    .describe('what a coordinator found that an account bears; put up again and again as long as it lives'),
  z.object({ kind: z.literal('drained'), at: z.iso.datetime() }).describe('queues that are made now are drained too'),
  z
    .object({
      kind: z.literal('cancelled'),
      queue: z.string(),
      mark: z.string().describe('another one each time'),
      at: z.iso.datetime(),
    })
    .describe('whoever submitted jobs there before, and misses one, knows that nobody wants it'),
  z.object({
    kind: z.literal('end'),
    job: z.string(),
    why: z
      .enum(['cancelled', 'deadline', 'left'])
      .describe('deadline: the run is recorded as far as it came; left: by its coordinator, which may come back'),
    at: z.iso.datetime(),
  }),
])

export type QueueNeeds = z.infer<typeof queueNeeds>
export type QueueJob = z.infer<typeof queueJob>
export type GivenBack = z.infer<typeof givenBack>
export type QueueAnswer = z.infer<typeof queueAnswer>
export type QueueNote = z.infer<typeof queueNote>
export type WorkerNote = Extract<QueueNote, { kind: 'worker' }>

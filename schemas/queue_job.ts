/** Jobs and answers in the queue: a run for a worker, and its result. They contain nothing large and no secrets. */
import * as z from 'zod'
import { runSpec } from './plan.ts'
import { userPrices } from './prices.ts'

const hex = z.string().regex(/^[0-9a-f]{64}$/, 'must be a sha256')

/** Version of the format: jobs of another version are different jobs, in different queues. */
export const jobVersion = 4

/** What a worker must have to run the jobs of a queue. */
export const queueNeeds = z.object({
  engine: z.string(),
  account: z.string().nullable().describe('hash of the account whose rate limit applies; null: unknown'),
  base_url: z.string().nullable(),
  cloud: z.string().optional().describe('the cloud that serves the model; absent: its provider itself'),
  tags: z.array(z.string()),
})

export const queueJob = z.object({
  schema_version: z.literal(jobVersion),
  benchmark: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .describe('the benchmark it belongs to; a folder of this name contains its results'),
  attempt: z.number().int().positive().describe('number of the attempt; later ones follow a failure of infrastructure'),
  agent_crashes: z.number().int().positive().optional().describe('earlier attempts that the agent ended; absent: none'),
  run: runSpec.describe('the run; its input files are named by their path in the bundle `inputs`'),
  inputs: hex.nullable().describe('bundle with all input files; null: none'),
  prompt: hex
    .nullable()
    .describe('bundle with the file `prompt`, if the prompt is too large for the queue; null: the prompt is in `run`'),
  skills: z.record(hex, hex).describe('bundle of each skill version, by its sha256'),
  pass_env: z.array(z.string()),
  sandbox: z.object({
    mode: z.enum(['auto', 'required', 'off']),
    network: z.enum(['none', 'setup', 'open']).nullable(),
  }),
  idle_ms: z.number().positive().nullable(),
  keep_work: z.boolean(),
  prices: userPrices.optional().describe('the prices of --prices; absent: none'),
  expires_at: z.iso
    .datetime()
    .describe('part of the signature: after this time no worker runs the job, so a stolen copy becomes useless'),
  signature: z.string().nullable(),
})

/** Counts that are kept with a released job, so that it is not released for ever. */
export const givenBack = z.object({
  shortages: z
    .number()
    .int()
    .nonnegative()
    .default(0)
    .describe('how often a worker ran short of a resource, such as disk space'),
  unfit: z.array(z.string()).default([]).describe('workers that lacked the program or the key'),
})

/** A worker's answer; the run itself is in the shared folder. */
export const queueAnswer = z.object({
  attempt: z.number().int().positive().describe('number of the attempt; its folder contains the run'),
  sha256: hex.describe('hash of its run.json'),
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
    queues: z.array(z.string()).default([]).describe('queues that it takes jobs from'),
    lacks: z
      .array(z.string())
      .default([])
      .describe('hashes of what it could not run recently because a program or a key was missing'),
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
    .describe(
      'the number of requests at once that a coordinator found an account can sustain; renewed as long as the coordinator runs',
    ),
  z.object({ kind: z.literal('drained'), at: z.iso.datetime() }).describe('queues created from now on are drained too'),
  z
    .object({
      kind: z.literal('cancelled'),
      queue: z.string(),
      mark: z.string().describe('different each time'),
      at: z.iso.datetime(),
    })
    .describe('tells a coordinator whose earlier jobs are missing from the queue that they were cancelled'),
  z.object({
    kind: z.literal('end'),
    job: z.string(),
    why: z
      .enum(['cancelled', 'deadline', 'left'])
      .describe('deadline: the run is recorded as far as it got; left: its coordinator stopped and may return'),
    at: z.iso.datetime(),
  }),
])

export type QueueNeeds = z.infer<typeof queueNeeds>
export type QueueJob = z.infer<typeof queueJob>
export type GivenBack = z.infer<typeof givenBack>
export type QueueAnswer = z.infer<typeof queueAnswer>
export type QueueNote = z.infer<typeof queueNote>
export type WorkerNote = Extract<QueueNote, { kind: 'worker' }>

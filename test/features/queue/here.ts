/** A benchmark and workers of a queue within this process, for tests that look at what they do. */
import { appendFileSync, chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import type { QueueWish } from '../../../src/features/queue/coordinator/coordinator_context.ts'
import { executeThroughQueue } from '../../../src/features/queue/flags.ts'
import { openTransport } from '../../../src/features/queue/server/open.ts'
import { createQueueTiming, type QueueTiming } from '../../../src/features/queue/server/transport.ts'
import { runQueueWorker, type WorkRequest } from '../../../src/features/queue/worker/work.ts'
import type { WorkEvent } from '../../../src/features/queue/worker/work_event.ts'
import { bench, planBench } from '../../../src/flows/bench/bench.ts'
import type { BenchRequest } from '../../../src/flows/prepare/prepare_bench.ts'
import type { RemoteExecution } from '../../../src/flows/prepare/remote_execution.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'
import { parseQueueAddress } from './server/queue_address.ts'
import { type QueueServer, startRedis } from './server/servers.ts'

const never = new AbortController().signal

/**
 * An agent of a few milliseconds that says in one log what it begins and ends. A prompt with `crash` ends it with 3; one with
 * `wait` keeps it until `open()` or its end. Gives the engine, and what was said.
 */
export function makeAgent() {
  const folder = fresh()
  const [file, log, gate] = ['agent.sh', 'agents.log', 'open'].map((name) => path.join(folder, name))
  writeFileSync(
    file ?? '',
    `#!/bin/sh
task=$(cat)
said=messy
[ -e .claude/skills/tidy/SKILL.md ] && said=TIDY
echo "start $$ $task" >> ${log}
case "$task" in
  *wait*) while [ ! -e ${gate} ]; do sleep 0.02; done;;
  *crash*) echo "end $$ $task" >> ${log}; echo broken >&2; exit 3;;
esac
echo "$task" > answer.txt
echo "$said"
echo "end $$ $task" >> ${log}
`,
  )
  chmodSync(file ?? '', 0o755)
  const lines = () =>
    (existsSync(log ?? '') ? readFileSync(log ?? '', 'utf8') : '').split('\n').filter((line) => line !== '')
  const all = (what: string) => lines().filter((line) => line.startsWith(`${what} `))
  return {
    engine: `command:sh ${file}`,
    lines,
    starts: () => all('start').length,
    /** Process numbers of those that began. */
    pids: () => all('start').map((line) => Number(line.split(' ')[1])),
    open: () => appendFileSync(gate ?? '', ''),
    close: () => rmSync(gate ?? ''),
    untilBegun: async (count: number) => {
      while (all('start').length < count) await sleep(10)
    },
  }
}

/** How many were under way at once at most, by the agents' own log. */
export function mostAtOnce(lines: readonly string[]): number {
  let [now, most] = [0, 0]
  for (const line of lines) {
    now += line.startsWith('start') ? 1 : -1
    most = Math.max(most, now)
  }
  return most
}

export interface HereOptions {
  drain?: AbortSignal
  signal?: AbortSignal
  env?: Readonly<Record<string, string | undefined>>
  /** What happened so far; absent: it is given at the end. */
  events?: FlowEvent[]
}

const environment = { PATH: process.env.PATH, HOME: process.env.HOME }

type Asked = Partial<BenchRequest> & Pick<BenchRequest, 'skill' | 'engine' | 'workspace'>

function requestFor(asked: Asked): BenchRequest {
  const usual = {
    ...{ suite: null, baseline: null, cases: [], model: null, judge: null, runs: 1, concurrency: 2, retries: 0 },
    ...{ timeoutSeconds: 60, maxTurns: null, activation: 'natural', onTimeout: 'fail', fresh: false, cache: false },
    ...{ passEnv: [], sandbox: { mode: 'off', network: null, readable: [], trusted: true } },
  } satisfies Partial<BenchRequest>
  return { ...usual, ...asked }
}

/** `bench` in this process, with what happened. */
export async function benchHere(
  asked: Asked,
  { drain = never, signal = never, env = {}, events = [] }: HereOptions = {},
) {
  const emit = (event: FlowEvent) => void events.push(event)
  const context = { emit, env: { ...environment, ...env }, drain, signal, now: () => new Date() }
  const result = await bench(requestFor(asked), context)
  return { ...result, events }
}

/** What it would make. */
export async function planHere(asked: Asked, env: HereOptions['env'] = environment) {
  const context = { emit: () => {}, env, drain: never, signal: never, now: () => new Date() }
  return await planBench(requestFor(asked), context)
}

export function queueFor(url: string, shared: string, more: Partial<QueueWish> = {}): RemoteExecution {
  const wish = { address: parseQueueAddress(url), shared, atOnce: 4, waitMs: 0, tags: [], signer: null }
  return executeThroughQueue({ ...wish, ...more })
}

export interface WorkerHere extends AsyncDisposable {
  told: WorkEvent[]
  /** Lets what is in hand end. */
  stop(): Promise<void>
}

/** `now`: its clock. */
type WorkAsked = Partial<WorkRequest> & { timing?: QueueTiming; env?: HereOptions['env']; now?: () => Date }

/** `queue work` in this process, until it is disposed of. */
export async function workHere(url: string, shared: string, asked: WorkAsked = {}): Promise<WorkerHere> {
  const { timing = createQueueTiming(2), env = {}, now = () => new Date(), ...more } = asked
  const transport = await openTransport(parseQueueAddress(url), timing)
  const told: WorkEvent[] = []
  const [drain, stop] = [new AbortController(), new AbortController()]
  const request: WorkRequest = {
    ...{ shared, concurrency: 2, engines: ['command'], tags: [], signer: null, version: 'test', lookMs: 50 },
    sandbox: { mode: 'off', network: null, readable: [], trusted: true },
    ...more,
  }
  const context = {
    ...{ emit: () => {}, env: { ...environment, ...env }, drain: drain.signal, signal: stop.signal },
    now,
  }
  const working = runQueueWorker(request, { transport, tell: (event) => void told.push(event) }, context)
  working.catch(() => {}) // looked at when it ends
  const end = async () => {
    drain.abort()
    await working.finally(() => transport[Symbol.asyncDispose]())
  }
  let ending: Promise<void> | null = null
  return {
    told,
    stop: () => {
      ending ??= end()
      return ending
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the test is over'))
      ending ??= end()
      await ending
    },
  }
}

/** A skill with a case for each of these prompts. */
function skillOf(...prompts: string[]): string {
  return makeSkill(prompts.map((prompt, at) => ({ id: at + 1, prompt, checks: [{ type: 'contains', value: 'TIDY' }] })))
}

/** A Redis for this block of tests: gives its address, once they run. */
export function redisHere(): () => string {
  const at: { server?: QueueServer } = {}
  beforeAll(async () => {
    at.server = await startRedis()
  })
  afterAll(() => at.server?.[Symbol.asyncDispose]())
  return () => at.server?.url ?? ''
}

/** A benchmark of these prompts through a queue, in a workspace of its own. */
export function askedOf(
  { engine }: { engine: string },
  prompts: readonly string[],
  { url, shared, ...more }: { url: string; shared: string } & Partial<QueueWish>,
) {
  return { skill: skillOf(...prompts), engine, workspace: fresh(), remote: queueFor(url, shared, more) }
}

/** Whether a process is there. */
export function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** One contract of events for every engine: each event of the table is played to it by the practice server. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pLimit from 'p-limit'
import { expect, test, vi } from 'vitest'
import type { RunRecord } from '../../schemas/run.ts'
import { withRetry } from '../../src/base/time/retry.ts'
import { openRateLimiter, type RateLimiter } from '../../src/engines/limits/rate_limiter.ts'
import { performRun, type RunResult } from '../../src/phases/2-run/run.ts'
import { gradeRun } from '../../src/phases/3-judge/grade/grade_run.ts'
import { specOf } from '../fixtures/run_spec.ts'
import { startEndless, startPortal } from '../fixtures/servers/endless.ts'
import { suiteCase } from '../fixtures/suite_case.ts'
import { cliFolder } from '../require.ts'
import { type Contender, findContender, ownRetryNames } from './contenders.ts'
import { type EventClass, eventClasses, type RunEvent } from './event_classes.ts'
import { practice } from './stage.ts'

interface Scene {
  scenario: (contender: Contender) => object
  /** Absent: the practice server with the scenario. */
  server?: () => Promise<AskedServer & AsyncDisposable>
  /** The run goes on until its time limit, which begins with the request that this rule or fault meets. Absent: it ends by itself. */
  untilLimit?: true
  /** The fault passes, and the run is given the attempt that it may need. Of the others it is enough to know whether they would get one. */
  passes?: true
  /** How often an agent CLI may send a request again; absent: once. */
  ownRetries?: number
  stopReason?: RegExp
}

const works = ({ shell }: Contender, command = 'printf hello > a.txt', name = 'works') => {
  return { name, when: { turn: 1 }, answer: { text: 'I begin.', tool_calls: [shell(command)] } }
}
const done = { name: 'done', answer: { text: 'all done' } }
/** Longer than the part of the stream that a cut lets through, on every API. */
const tells = { name: 'tells', answer: { text: 'I begin with a long answer, and its last word is never sent' } }
const always = (fault: object) => () => ({ faults: [fault], rules: [done] })
const afterAnAnswer = (fault: object) => (contender: Contender) => ({
  faults: [{ ...fault, after: 1 }],
  rules: [works(contender), done],
})
const says = (text: string, stop_reason: string) => () => ({ rules: [{ name: 'says', answer: { text, stop_reason } }] })
const nothing = () => ({})
const anHour = { status: 429, retry_after: 3600 }

const scenes = {
  'the server is silent from the start': { scenario: always({ hang: true }), untilLimit: true },
  'the first answer begins and stalls': { scenario: always({ stall: 3 }), untilLimit: true },
  'the server is silent after an answer': { scenario: afterAnAnswer({ hang: true }), untilLimit: true },
  'the model streams until the time limit': { scenario: nothing, server: startEndless, untilLimit: true },
  'a page answers in place of the model, as a login page does': { scenario: nothing, server: startPortal },
  'status 401': { scenario: always({ status: 401 }) },
  'status 403': { scenario: always({ status: 403 }) },
  'status 429, once': { scenario: always({ status: 429, retry_after: 0, first: 1 }), passes: true },
  'status 429, always': { scenario: always({ status: 429, retry_after: 0 }) },
  'status 429, Retry-After of an hour': { scenario: always(anHour), untilLimit: true },
  'status 429 after an answer, Retry-After of an hour': { scenario: afterAnAnswer(anHour), untilLimit: true },
  'status 500, once': { scenario: always({ status: 500, first: 1 }), passes: true },
  'status 500 after an answer, always': { scenario: afterAnAnswer({ status: 500 }) },
  'status 529 for longer than the time limit': { scenario: always({ status: 529 }), untilLimit: true, ownRetries: 4 },
  'status 529 after an answer, for longer than the time limit': {
    scenario: afterAnAnswer({ status: 529 }),
    untilLimit: true,
    ownRetries: 4,
  },
  'the stream is cut, always': { scenario: () => ({ faults: [{ cut: 3 }], rules: [tells] }) },
  'the model refuses': { scenario: says('I will not.', 'refusal'), stopReason: /^(refusal|end_turn)$/ },
  'the context is full at once': { scenario: always({ context_full: true }) },
  'the context is full after an answer': {
    scenario: afterAnAnswer({ context_full: true }),
    stopReason: /^context_window$/,
  },
  'an answer is cut at the output limit': { scenario: says('I write and', 'max_tokens'), stopReason: /^max_tokens$/ },
  'a tool crashes': {
    scenario: (contender) => ({ rules: [works(contender, "sh -c 'kill -SEGV $$' || exit 139"), done] }),
  },
  'the agent asks a question and stops': { scenario: says('Which file do you mean?', 'end_turn') },
  'the agent works until the time limit': {
    scenario: (contender) => ({ rules: [works(contender, 'tail -f /dev/null', 'works forever'), done] }),
    untilLimit: true,
  },
} satisfies Record<RunEvent, Scene>

/** Seconds that a run has once the server was asked what never ends; more for the CLIs that take seconds to report the provider's error. */
const limitFor = ({ engine }: Contender) => (['gemini', 'opencode'].includes(engine.name) ? 10 : 4)

/** Registers the contract of events of one engine. */
export function contractOfEvents(name: string): void {
  const contender = findContender(name)
  vi.setConfig({ testTimeout: 480_000, maxConcurrency: 30 })
  const few = pLimit(contender.cli === undefined ? 10 : 4) // a CLI takes a second of CPU to start
  contender.suite(`the events of ${name}`, () => {
    test.concurrent.each(eventNames)('%s', async (event) => {
      const { shown, record } = await few(() => playEvent(contender, event))
      expect(shown, JSON.stringify(record)).toEqual(eventClasses[event])
      const { stopReason }: Scene = scenes[event]
      if (stopReason !== undefined) expect(record.stop_reason).toMatch(stopReason)
      if (record.status === 'timed_out') {
        expect(record).toMatchObject({ model_answered: true, retried_error: null })
        expect(record).not.toHaveProperty('provider_unseen')
      }
    })
  })
}

const eventNames = Object.keys(eventClasses).filter((name): name is RunEvent => name in eventClasses)

export interface Played {
  shown: EventClass
  record: RunRecord
}

/** Plays an event to an engine: how the run is recorded, and what that counts as. */
export async function playEvent(contender: Contender, event: RunEvent): Promise<Played> {
  const scene: Scene = scenes[event]
  await using server =
    scene.server === undefined ? await practice(JSON.stringify(scene.scenario(contender))) : await scene.server()
  const folder = await mkdtemp(path.join(tmpdir(), 'event-'))
  try {
    let again = 0
    const { record, retry } = await withRetry((number) => attempt(contender, { scene, server, folder, number }), {
      retries: scene.passes ? 1 : 0,
      signal: new AbortController().signal,
      baseMs: 1,
      onRetry: () => {
        again += 1
      },
    })
    const byItself = scene.passes === true && server.requests.some(({ fault }) => fault !== undefined)
    const kind = record.status === 'failed' ? record.error.kind : null
    const graded = await isGraded(record, folder)
    return { shown: { status: record.status, kind, graded, retried: retry !== null || again > 0 || byItself }, record }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** What the contract reads of a server. */
interface AskedServer {
  url: string
  requests: readonly { fault?: unknown; rule?: unknown; status?: unknown }[]
}

interface Attempt {
  scene: Scene
  server: AskedServer
  folder: string
  number: number
}

async function attempt(contender: Contender, { scene, server, folder, number }: Attempt): Promise<RunResult> {
  const { untilLimit, ownRetries = 1 } = scene
  const { credentials = {}, model = null, command } = contender.needs(server)
  const gate = openRateLimiter(null)
  using _ = untilLimit ? startLimitLate(gate, server) : null
  const engine = { name: contender.engine.name, model, ...(command && { command }) }
  const own = Object.fromEntries(ownRetryNames.map((one) => [one, String(ownRetries)]))
  return await performRun({
    spec: specOf({ engine, timeout_seconds: untilLimit ? limitFor(contender) : 300, prompt: 'do it' }),
    engine: contender.engine,
    skillFiles: [],
    folder: path.join(folder, String(number)),
    userEnv: { PATH: `${process.env.PATH}:${cliFolder}`, ...credentials, ...own },
    passEnv: ownRetryNames,
    hidden: [],
    sandbox: { mechanism: 'none', program: null, reason: 'a test', network: null, readable: [] },
    attempt: number,
    gate,
    signal: new AbortController().signal,
  })
}

/** Whether a grading comes of it, by a check that needs no judge. */
async function isGraded(record: RunRecord, folder: string): Promise<boolean> {
  const graded = await gradeRun({
    case: suiteCase({ checks: [{ type: 'contains', value: 'all done' }] }),
    record,
    runFolder: path.join(folder, String(record.attempts)),
    judge: null,
    onTimeout: 'fail',
    restore: async () => {},
    env: {},
    credentials: {},
    signal: new AbortController().signal,
  })
  return graded !== null
}

/** A slow machine starts a CLI slowly: what passes before the server was asked what never ends is left out of the limit, as a wait is. */
function startLimitLate(gate: RateLimiter, server: AskedServer): Disposable {
  let seen = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    if (!isReached(server)) gate.waits(now - seen)
    seen = now
  }, 50)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** The server was asked what never ends: it met a fault, or gave the agent endless work. */
function isReached({ requests }: AskedServer): boolean {
  return requests.some(({ fault, rule, status }) => fault !== undefined || (rule === 'works forever' && status === 200))
}

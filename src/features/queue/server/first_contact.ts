/** The first contact with a queue server: reports a refusal at once, and waits for an unavailable server. */
import { setTimeout as sleep } from 'node:timers/promises'
import { errnoCode, errorMessage, IncompleteError, UserError } from '../../../base/errors/error.ts'
import { isOutage } from './outage.ts'

/** How to wait for a server that is unreachable at the start. */
export interface WaitPolicy {
  /** Milliseconds. 0: one try. */
  waitMs: number
  /** Called once when the waiting begins, with the last error. */
  waits: (why: string) => void
  /** Aborted: stop waiting. */
  signal: AbortSignal
}

export const noWaitPolicy: WaitPolicy = { waitMs: 0, waits: () => {}, signal: new AbortController().signal }

/** A connection that does not reconnect by itself. */
export interface Contact {
  waitUntilReady(): Promise<unknown>
  close(): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** Limit of one try, in milliseconds. */
export const oneTryMs = 10_000
const pauseMs = 500
/** Milliseconds that an available server needs for its first answer; no try is shorter. */
const leastTryMs = 1000

/**
 * Throws UserError when the server, its certificate or the name resolution refuses the connection, IncompleteError without an
 * answer within `waitMs`, the abort reason when aborted.
 */
export async function waitUntilReachable(place: string, open: () => Contact, patience: WaitPolicy): Promise<void> {
  const until = performance.now() + patience.waitMs
  for (let tries = 0; ; tries += 1) {
    const left = Math.max(until - performance.now(), leastTryMs)
    const tryMs = patience.waitMs === 0 ? oneTryMs : Math.min(left, oneTryMs)
    const problem = await tryContact(open, tryMs, patience.signal)
    if (problem === null) return
    patience.signal.throwIfAborted()
    if (!isAway(problem)) {
      const { said, fix } = describeRefusal(problem)
      throw new UserError(`--queue ${place}: ${said}`, fix)
    }
    if (performance.now() + pauseMs > until) throw awayError(place, refusalWords(problem), patience.waitMs)
    if (tries === 0) patience.waits(refusalWords(problem))
    await sleep(pauseMs, undefined, { signal: patience.signal }).catch(() => {})
    patience.signal.throwIfAborted()
  }
}

function awayError(place: string, said: string, waitMs: number): IncompleteError {
  const how = waitMs === 0 ? '' : ` (waited for ${Math.round(waitMs / 1000)} s: --queue-wait)`
  return new IncompleteError(`--queue ${place}: ${said}${how}`, unreachableFix(place))
}

/** An unknown name does not appear by waiting; a failed lookup (EAI_AGAIN) may pass. */
function isAway(error: unknown): boolean {
  return (isOutage(error) || error instanceof NoAnswer) && errnoCode(error) !== 'ENOTFOUND'
}

class NoAnswer extends Error {}

/** One try; null: the server has answered and accepts the connection. */
async function tryContact(open: () => Contact, ms: number, signal: AbortSignal): Promise<unknown> {
  const timer = new AbortController()
  const late = sleep(ms, undefined, { signal: AbortSignal.any([timer.signal, signal]) }).then(
    () => new NoAnswer(`no answer within ${Math.round(ms / 1000)} s`),
    () => new NoAnswer('the wait is over'),
  )
  const heard: Error[] = []
  const contact = open()
  contact.on('error', (error) => void heard.push(error))
  try {
    const ready = contact.waitUntilReady().then(
      () => heard[0] ?? null, // a partial refusal, such as of the database: later requests would go elsewhere
      (error: unknown) => heard[0] ?? toClosedError(error),
    )
    return await Promise.race([ready, late])
  } finally {
    timer.abort()
    void Promise.resolve(contact.close()).catch(() => {})
  }
}

/** ioredis has no code for a connection that the server closed without an answer. */
function toClosedError(error: unknown): unknown {
  return /^Connection is closed/.test(errorMessage(error))
    ? new NoAnswer('the server closed the connection without an answer')
    : error
}

/** Describes a queue server that refuses a connection or does not answer: a short message and a fix. */
interface RefusalText {
  said: string
  fix: string
}

const asksPassword: RefusalText = {
  said: 'the server requires a password',
  fix: 'pass it with --queue-password-file or WHETSTONE_QUEUE_PASSWORD, and its user with WHETSTONE_QUEUE_USER',
}

/** By code and message of node:tls, ioredis and pg; the first match counts. Without `said`: the server's own message. */
const refusals: readonly { fits: RegExp; said?: string; fix: string }[] = [
  {
    fits: /ERR_TLS_CERT_ALTNAME_INVALID/,
    fix: 'use the host name in its certificate; ?sslmode=verify-ca checks only the authority',
  },
  {
    fits: /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    fix: 'check the clock; if it is right, the server needs a new certificate',
  },
  {
    fits: /SELF_SIGNED|UNABLE_TO_|CERT_/,
    fix: 'pass the certificate of its certificate authority as a PEM file: --queue-ca or WHETSTONE_QUEUE_CA',
  },
  { fits: /NOAUTH |client password must be a string/, ...asksPassword },
  { fits: /no PostgreSQL user name/, said: 'the server requires a user', fix: 'pass it with WHETSTONE_QUEUE_USER' },
  {
    fits: /WRONGPASS |28P01/,
    fix: 'check the user (WHETSTONE_QUEUE_USER) and the password (--queue-password-file, WHETSTONE_QUEUE_PASSWORD)',
  },
  {
    fits: /Unknown RESP type|Protocol error/,
    said: 'the server that answers is not Redis',
    fix: 'check host and port',
  },
  {
    fits: /DB index is out of range|SELECT is not allowed/,
    said: 'the server has no such database',
    fix: 'use a database that it has, such as /0 (by default Redis has 0 to 15; a cluster has only 0)',
  },
  { fits: /does not support SSL/, fix: 'the server does not support encryption: leave out sslmode and --queue-ca' },
  {
    fits: /no encryption/,
    fix: 'encrypt the connection: ?sslmode=verify-full, with --queue-ca if you have your own certificate authority',
  },
]

function describeRefusal(error: unknown): RefusalText {
  const said = refusalWords(error)
  const found = refusals.find(({ fits }) => fits.test(`${errnoCode(error) ?? ''} ${said}`))
  return { said: found?.said ?? said, fix: found?.fix ?? 'check address, user and password' }
}

/** What to check when an address does not answer. */
function unreachableFix(place: string): string {
  const kind = /^rediss?:/.test(place) ? 'Redis' : 'PostgreSQL'
  const usual = `check that the server is running, that it is ${kind}, and that it`
  if (place.startsWith('rediss:')) return `${usual} supports encryption; if it does not, use redis://`
  return `${usual} does not require encryption (${place.startsWith('redis:') ? 'rediss://' : 'sslmode=verify-full'})`
}

/** The message of any error from connecting. */
function refusalWords(error: unknown): string {
  return errorMessage(error) || errnoCode(error) || 'no connection'
}

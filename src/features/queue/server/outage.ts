/** Waits out an outage of the queue server, and repeats requests when it is back. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { errnoCode, errorMessage, UserError } from '../../../base/errors/error.ts'
import type { Transport } from './transport.ts'

/** Of sockets and of name resolution. */
const network: ReadonlySet<string> = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN EAI_AGAIN ENOTFOUND'.split(
    ' ',
  ),
)

/**
 * States of PostgreSQL (appendix A of its manual) that pass: connection lost (08), out of connections, disk or memory (53), shut
 * down or starting (57P0x), read-only until another server takes over (25006), transactions in conflict (40).
 */
const passingStates = /^(08...|53...|57P0[1-5]|25006|40...)$/

/** Errors of pg without a code. */
const clientMessages =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/

/** First words of Redis: it is loading, has no primary, or can't write at the moment. */
const redis = /^(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|READONLY|MISCONF|OOM|BUSY) /

/** Whether the error may pass without a change by the user; a wrong password, for example, does not. */
export function isOutage(error: unknown): boolean {
  const [code, message] = [errnoCode(error) ?? '', errorMessage(error)]
  return network.has(code) || passingStates.test(code) || clientMessages.test(message) || redis.test(message)
}

const mostMs = 2000

/** Asks until the server answers, or `isOver`. An earlier try may have succeeded, so the request must be idempotent. */
export async function retryDuringOutage<T>(ask: () => Promise<T>, isOver: () => boolean): Promise<T> {
  for (let waitMs = 50; ; waitMs = Math.min(2 * waitMs, mostMs)) {
    try {
      return await ask()
    } catch (error) {
      if (!isOutage(error) || isOver()) throw error
    }
    await sleep(waitMs)
  }
}

/** A transport whose calls all outlast an outage. A permanent refusal of the server becomes a UserError. */
export function withOutageRetry(transport: Transport, isOver: () => boolean): Transport {
  const refused = (error: unknown): never => {
    if (!isRefusal(error)) throw error
    const fix =
      'may this user write there? (docs/how-to/many-machines.md); then continue with the same command; what was finished is kept'
    throw new UserError(`--queue ${transport.place}: ${errorMessage(error)}`, fix)
  }
  const steady = <A extends readonly unknown[], R>(ask: (...asked: A) => Promise<R>) => {
    return (...asked: A): Promise<R> => retryDuringOutage(() => ask(...asked), isOver).catch(refused)
  }
  const { submit, counts, drain, remove, retry, open, ended, limit, post, notes, takeDown } = transport
  return {
    ...transport,
    ...{ submit: steady(submit), counts: steady(counts), drain: steady(drain), remove: steady(remove) },
    ...{ retry: steady(retry), open: steady(open), limit: steady(limit), post: steady(post) },
    ...{ ended: steady(ended), notes: steady(notes), takeDown: steady(takeDown) },
  }
}

/** An error reply of the server, from ioredis or pg. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && (error.name === 'ReplyError' || 'severity' in error)
}

/** Resolves when it is closed, or after this many milliseconds. */
export async function closeOrTimeOut(close: () => Promise<unknown>, ms: number): Promise<void> {
  const timer = new AbortController()
  const late = sleep(ms, undefined, { signal: timer.signal }).catch(() => {})
  await Promise.race([close().catch(() => {}), late])
  timer.abort()
}

/** Resolves when the work is done, or this many milliseconds after the signal is aborted; rejects as the work does until then. */
export async function awaitOrTimeOut(
  work: Promise<unknown>,
  { signal, ms }: { signal: AbortSignal; ms: number },
): Promise<void> {
  const over = new AbortController()
  const late = async () => {
    if (!signal.aborted) await once(signal, 'abort', { signal: over.signal })
    await sleep(ms, undefined, { signal: over.signal })
  }
  try {
    await Promise.race([work, late().catch(() => {})])
  } finally {
    over.abort()
  }
}

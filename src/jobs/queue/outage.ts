/** A queue server that is away for a while: what is asked of it waits until it is back, and is asked again. */
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, messageOf, UserError } from '../../base/error.ts'
import type { Transport } from './transport.ts'

/** Of sockets and of the look-up of names. */
const network: ReadonlySet<string> = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN EAI_AGAIN ENOTFOUND'.split(
    ' ',
  ),
)

/**
 * States of PostgreSQL (appendix A of its manual) that pass: connection lost (08), out of connections, disk or memory (53), shut
 * down or starting (57P0x), for reading only until another server takes over (25006), two that were in each other's way (40).
 */
const passing = /^(08...|53...|57P0[1-5]|25006|40...)$/

/** What pg says without a code. */
const said =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/

/** First words of Redis: it loads, has no primary, or can't write for now. */
const redis = /^(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|READONLY|MISCONF|OOM|BUSY) /

/** Whether it may mend without anybody asking otherwise; a wrong password, say, does not. */
export function isOutage(error: unknown): boolean {
  const [code, message] = [codeOf(error) ?? '', messageOf(error)]
  return network.has(code) || passing.test(code) || said.test(message) || redis.test(message)
}

const mostMs = 2000

/** Asks until the server answers, or `isOver`. What it asks may have been done before: it must be the same twice as once. */
export async function whileAway<T>(ask: () => Promise<T>, isOver: () => boolean): Promise<T> {
  for (let waitMs = 50; ; waitMs = Math.min(2 * waitMs, mostMs)) {
    try {
      return await ask()
    } catch (error) {
      if (!isOutage(error) || isOver()) throw error
    }
    await sleep(waitMs)
  }
}

/** The same, of which every call outlasts an outage. What the server refuses for good is told as that, and is no bug of ours. */
export function outlasting(transport: Transport, isOver: () => boolean): Transport {
  const refused = (error: unknown): never => {
    if (!isRefusal(error)) throw error
    const fix =
      'may this user write there? (docs/queue.md); then the same command goes on, and what was finished is kept'
    throw new UserError(`--queue ${transport.place}: ${messageOf(error)}`, fix)
  }
  const steady = <A extends readonly unknown[], R>(ask: (...asked: A) => Promise<R>) => {
    return (...asked: A): Promise<R> => whileAway(() => ask(...asked), isOver).catch(refused)
  }
  const { submit, counts, drain, remove, retry, open, ended, limit, post, notes, takeDown } = transport
  return {
    ...transport,
    ...{ submit: steady(submit), counts: steady(counts), drain: steady(drain), remove: steady(remove) },
    ...{ retry: steady(retry), open: steady(open), limit: steady(limit), post: steady(post) },
    ...{ ended: steady(ended), notes: steady(notes), takeDown: steady(takeDown) },
  }
}

/** An answer of the server, as ioredis and pg give it. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && (error.name === 'ReplyError' || 'severity' in error)
}

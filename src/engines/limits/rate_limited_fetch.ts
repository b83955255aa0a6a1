/** `fetch` for the SDKs: each request takes a slot of the rate limiter, a 429 waits there and is sent again, a silent server is given up. */
import { fetchByProxy } from '../../base/http/fetch.ts'
import type { SlotEnd } from '../../base/rate_limit_slot.ts'
import { startActiveTimeout } from '../../base/time/active_time.ts'
import { readAllowance, readLimitResetMs, readRetryAfter } from '../limits/rate_headers.ts'
import type { LimiterSlot, RateLimiter } from '../limits/rate_limiter.ts'
import { parseResetMs } from './rate_headers.ts'

/** The server sent no byte for too long. */
export class SilentServerError extends Error {
  override readonly name = 'SilentServerError'
}

const never = new AbortController().signal

/** A refusal that waiting does not change: the account has nothing left to spend. */
const spentPattern = /"insufficient_quota"/

/** Like fetch, but rejects with SilentServerError when no byte comes for `gate.idleMs`, before or within the body. */
export function createLimitedFetch(gate: RateLimiter): typeof fetch {
  return async (input, init = {}) => {
    const signal = init?.signal ?? never
    for (let again = false; ; again = true) {
      const slot = await gate.enter(signal, again)
      const call = watchCall(gate, slot, signal)
      const response = await call.send((own) => fetchByProxy(input, { ...init, signal: own }))
      const allowance = readAllowance(response.headers)
      if (allowance !== null) slot.heard(allowance)
      if (response.status !== 429 || !gate.governs) return call.follow(response)
      const named = readRetryAfter(response.headers) ?? readLimitResetMs(response.headers)
      const text = await readRefusalText(call.follow(response, { as: 'refused', retryAfterMs: named }), signal)
      call.end({ as: 'refused', retryAfterMs: named ?? parseResetMs(text) })
      if (spentPattern.test(text)) return new Response(text, response)
    }
  }
}

/** The body of a refusal; empty if it can't be read, as the status alone is a refusal. Rejects only when aborted. */
async function readRefusalText(response: Response, signal: AbortSignal): Promise<string> {
  return response.text().catch(() => {
    signal.throwIfAborted()
    return ''
  })
}

const failedEnd: SlotEnd = { as: 'failed' }

/** One call under the idle limit; it releases its slot when its body ends, however it ends. */
function watchCall(gate: RateLimiter, slot: LimiterSlot, signal: AbortSignal) {
  const own = new AbortController()
  let idle: Disposable | null = null
  const stopIdle = () => idle?.[Symbol.dispose]()
  const listen = () => {
    stopIdle()
    idle = startActiveTimeout(gate.idleMs, () => {
      gate.waits(gate.idleMs) // the server's silence is not the agent's working time
      own.abort(new SilentServerError(`the server sent nothing for ${gate.idleMs / 1000} s`))
    })
  }
  const end = (how: SlotEnd) => {
    stopIdle()
    signal.removeEventListener('abort', cut)
    slot.end(how)
  }
  const cut = () => {
    own.abort(signal.reason)
    end({ as: 'failed' }) // perhaps nobody reads the body, and then its end would not release the slot
  }
  signal.addEventListener('abort', cut, { once: true })
  const orEnd = async <T>(work: Promise<T>, broken = failedEnd): Promise<T> => {
    listen()
    try {
      return await work
    } catch (error) {
      end(broken)
      throw error
    } finally {
      stopIdle()
    }
  }
  return {
    end,
    send: (call: (signal: AbortSignal) => Promise<Response>) => orEnd(call(own.signal)),
    /** The same response. A refusal keeps its slot until the caller has read it and calls `end`. `broken`: the end if the body breaks off. */
    follow(response: Response, broken = failedEnd): Response {
      const last: SlotEnd | null =
        response.status === 429 && gate.governs ? null : { as: response.ok ? 'served' : 'failed' }
      const reader = response.body?.getReader()
      if (reader === undefined) {
        if (last !== null) end(last)
        return response
      }
      const body = new ReadableStream<Uint8Array>({
        async pull(to) {
          const { done, value } = await orEnd(reader.read(), broken)
          if (!done) {
            if (response.ok) gate.answering()
            return to.enqueue(value)
          }
          if (last !== null) end(last)
          to.close()
        },
        async cancel(reason) {
          end({ as: 'failed' })
          await reader.cancel(reason)
        },
      })
      const { status, statusText, headers } = response
      return new Response(body, { status, statusText, headers })
    },
  }
}

/** `fetch` for the SDKs: each request takes a slot at the gate; a 429 waits there and is sent again; a silent server is left. */
import type { SlotEnd } from '../base/slot.ts'
import type { Gate, Slot } from './gate.ts'
import { allowanceOf, retryAfter } from './rate_headers.ts'

/** No byte came for too long. */
export class SilentServerError extends Error {
  override readonly name = 'SilentServerError'
}

const never = new AbortController().signal

/** A refusal that no waiting mends: the account has nothing left to spend. */
const spent = /"insufficient_quota"/

/** As fetch. Rejects with SilentServerError when no byte comes for `gate.idleMs`, be it before or within the body. */
export function gatedFetch(gate: Gate): typeof fetch {
  return async (input, init = {}) => {
    const signal = init?.signal ?? never
    for (let again = false; ; again = true) {
      const slot = await gate.enter(signal, again)
      gate.called('sent')
      const call = watched(gate, slot, signal)
      const response = await call.send((own) => fetch(input, { ...init, signal: own }))
      const allowance = allowanceOf(response.headers)
      if (allowance !== null) slot.heard(allowance)
      if (response.status !== 429 || !gate.governs) return call.follow(response)
      const refused = { as: 'refused', retryAfterMs: retryAfter(response.headers) } as const
      const text = await wordsOf(call.follow(response, refused), signal)
      call.end(refused)
      if (spent.test(text)) return new Response(text, response)
    }
  }
}

/** What a refusal says, as far as it can be read: its status alone is one. Rejects only when aborted. */
async function wordsOf(response: Response, signal: AbortSignal): Promise<string> {
  return response.text().catch(() => {
    signal.throwIfAborted()
    return ''
  })
}

const failed: SlotEnd = { as: 'failed' }

/** One call under the idle limit, which gives its slot back at the end of its body, whatever that is. */
function watched(gate: Gate, slot: Slot, signal: AbortSignal) {
  const own = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const listen = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      gate.waits(gate.idleMs) // the server's silence is not the agent's work
      own.abort(new SilentServerError(`the server sent nothing for ${gate.idleMs / 1000} s`))
    }, gate.idleMs)
  }
  const end = (how: SlotEnd) => {
    clearTimeout(timer)
    signal.removeEventListener('abort', cut)
    slot.end(how)
  }
  const cut = () => {
    own.abort(signal.reason)
    end({ as: 'failed' }) // nobody may be reading
  }
  signal.addEventListener('abort', cut, { once: true })
  const orEnd = async <T>(work: Promise<T>, broken = failed): Promise<T> => {
    listen()
    try {
      return await work
    } catch (error) {
      end(broken)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    end,
    send: (call: (signal: AbortSignal) => Promise<Response>) => orEnd(call(own.signal)),
    /** The same response; a refusal keeps its slot until it is read and ended by the caller. `broken`: what a body that breaks off counts as. */
    follow(response: Response, broken = failed): Response {
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
            if (response.ok) gate.called('answered')
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

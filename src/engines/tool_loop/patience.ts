/** Asks the model again where the agent is already at work: a restart of the whole run would cost more. */
import { waitBefore } from '../../base/backoff.ts'
import type { Gate } from '../gate.ts'
import type { Asked } from './session.ts'

export interface Patience {
  /** How often one request is sent at most. */
  tries: number
  signal: AbortSignal
  gate: Gate
  random?: () => number
}

/** The longest wait before another try; a server that asks for more gets its failure told to the caller. */
const longestWaitMs = 60_000
const backoff = { baseMs: 1000, capMs: longestWaitMs / 2 }

/** Repeats the request after a failure that may pass. Rejects with the abort reason when aborted, and never otherwise. */
export async function askPatiently(ask: () => Promise<Asked>, patience: Patience): Promise<Asked> {
  for (let number = 1; ; number += 1) {
    const asked = await ask()
    if (asked.ok || !asked.error.retryable) return asked
    // said within a stream that began well; a plain 429 waits at the gate
    const isLimit = asked.error.kind === 'rate_limited' && patience.gate.governs
    if (number >= patience.tries && !isLimit) return asked
    const wait = waitBefore(number, asked.error.retryAfterMs, { ...backoff, random: patience.random })
    if (wait > longestWaitMs && !isLimit) return asked
    await patience.gate.pause(wait, patience.signal)
  }
}

/** Sends one request to the model and waits for its whole response; tries again where the agent is already at work. */
import { setTimeout as sleep } from 'node:timers/promises'
import type Anthropic from '@anthropic-ai/sdk'
import { waitBefore } from '../../base/backoff.ts'
import type { EngineError } from '../engine.ts'
import { engineErrorOf } from './errors.ts'

export type Sent = { ok: true; message: Anthropic.Message } | { ok: false; error: EngineError }

export interface Sender {
  client: Anthropic
  signal: AbortSignal
  /** Told of each wait before another try, in milliseconds. */
  onWait: (ms: number) => void
  random?: () => number
}

/** The longest wait before another try; a server that asks for more gets its failure told to the caller. */
const longestWaitMs = 60_000
const backoff = { baseMs: 1000, capMs: longestWaitMs / 2 }

/**
 * Streams one response. `tries` > 1 repeats the request after a failure that may pass: a restart of the whole run would
 * cost more. Rejects with the abort reason when aborted, and never otherwise.
 */
export async function send(params: Anthropic.MessageStreamParams, sender: Sender, tries: number): Promise<Sent> {
  for (let number = 1; ; number += 1) {
    const sent = await sendOnce(params, sender)
    if (sent.ok || !sent.error.retryable || number >= tries) return sent
    const wait = waitBefore(number, sent.error.retryAfterMs, { ...backoff, random: sender.random })
    if (wait > longestWaitMs) return sent
    sender.onWait(wait)
    await sleep(wait, undefined, { signal: sender.signal }).catch(() => sender.signal.throwIfAborted())
  }
}

async function sendOnce(params: Anthropic.MessageStreamParams, { client, signal }: Sender): Promise<Sent> {
  try {
    const message = await client.messages.stream(params, { signal }).finalMessage()
    return { ok: true, message }
  } catch (error) {
    signal.throwIfAborted()
    return { ok: false, error: engineErrorOf(error, client.baseURL) }
  }
}

/** Sends one request to the model and waits for its whole response; tries again where the agent is already at work. */
import { setTimeout as sleep } from 'node:timers/promises'
import type Anthropic from '@anthropic-ai/sdk'
import type { EngineError } from '../engine.ts'
import { engineErrorOf } from './errors.ts'

export type Sent = { ok: true; message: Anthropic.Message } | { ok: false; error: EngineError }

export interface Sender {
  client: Anthropic
  signal: AbortSignal
  random?: () => number
}

/** The longest wait before another try; a server that asks for more gets its failure told to the caller. */
const longestWaitMs = 60_000
const baseMs = 500

/**
 * Streams one response. `tries` > 1 repeats the request after a failure that may pass: a restart of the whole run would
 * cost more. Rejects with the abort reason when aborted, and never otherwise.
 */
export async function send(params: Anthropic.MessageStreamParams, sender: Sender, tries: number): Promise<Sent> {
  for (let number = 1; ; number += 1) {
    const sent = await sendOnce(params, sender)
    if (sent.ok || !sent.error.retryable || number >= tries) return sent
    const wait = waitBefore(number, sent.error.retryAfterMs, sender.random)
    if (wait > longestWaitMs) return sent
    await sleep(wait, undefined, { signal: sender.signal }).catch(() => sender.signal.throwIfAborted())
  }
}

/** Full jitter, on top of what the server asked for. */
function waitBefore(number: number, afterMs: number | null, random: () => number = Math.random): number {
  return (afterMs ?? 0) + random() * Math.min(longestWaitMs / 2, baseMs * 2 ** number)
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

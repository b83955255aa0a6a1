/** Opens the queue of a benchmark, where one is asked for. */
import type { Plan } from '../../../schemas/plan.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { type Transport, usualTiming } from '../../jobs/queue/transport.ts'
import type { FlowContext } from '../context.ts'
import type { Remote } from '../execute.ts'
import type { Limited } from '../limited.ts'
import type { PaceOptions } from '../pace.ts'
import type { QueueWish } from './remote.ts'

export interface RemoteIfRequest {
  /** null: runs are made on this machine. */
  wish: QueueWish | null
  plan: Plan
  /** The benchmark folder, absolute. */
  folder: string
  sandbox?: SandboxWish | null
  pace?: PaceOptions | undefined
  /** null: nothing is limited. */
  limited: Limited | null
}

/** Throws UserError where the queue can't be used, IncompleteError where its server is away for too long. */
export async function openRemoteIf(
  { wish, plan, folder, sandbox, pace, limited }: RemoteIfRequest,
  context: FlowContext,
): Promise<(Remote & AsyncDisposable) | null> {
  if (wish === null) return null
  const { openRemote } = await import('./remote.ts')
  const transport = await openServer(wish, context)
  const asked = { mode: sandbox?.mode ?? 'auto', network: sandbox?.network ?? null }
  const request = { wish, plan, folder, sandbox: asked, idleMs: pace?.idleMs ?? null, limited }
  try {
    return await openRemote(request, transport, context)
  } catch (error) {
    await transport[Symbol.asyncDispose]()
    throw error
  }
}

/** Before anything else is begun. Throws as openRemoteIf does. */
export async function reachQueue(wish: QueueWish, context: FlowContext): Promise<void> {
  await using _reached = await openServer(wish, context)
}

async function openServer({ address, waitMs }: QueueWish, context: FlowContext): Promise<Transport> {
  const { openTransport } = await import('../../jobs/queue/open.ts')
  const waits = (message: string) =>
    context.emit({ type: 'queue_awaited', place: address.place, message, wait_ms: waitMs })
  return await openTransport(address, usualTiming, { waitMs, waits, signal: context.drain })
}

/** Opens a benchmark's queue, if one is requested. */
import type { Plan } from '../../../schemas/plan.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { type Transport, usualTiming } from '../../jobs/queue/transport.ts'
import type { FlowContext } from '../flow_context.ts'
import type { LimitedBench } from '../limits/limited_bench.ts'
import type { RateLimitOptions } from '../limits/rate_limiters.ts'
import type { QueueWish } from '../prepare/queue_options.ts'
import type { RemoteExecutor } from '../run/execute.ts'

export interface OptionalRemoteRequest {
  /** null: runs execute on this machine. */
  wish: QueueWish | null
  plan: Plan
  /** The benchmark folder, absolute. */
  folder: string
  sandbox?: SandboxWish | null
  pace?: RateLimitOptions | undefined
  /** null: no limits. */
  limited: LimitedBench | null
}

/** Throws UserError if the queue is unusable, and IncompleteError if its server is unreachable for too long. */
export async function openOptionalRemote(
  { wish, plan, folder, sandbox, pace, limited }: OptionalRemoteRequest,
  context: FlowContext,
): Promise<(RemoteExecutor & AsyncDisposable) | null> {
  if (wish === null) return null
  const { openRemote } = await import('./coordinator/queue_executor.ts')
  const transport = await openServer(wish, context)
  const asked = { mode: sandbox?.mode ?? 'auto', network: sandbox?.network ?? null }
  const request = { wish, plan, folder, sandbox: asked, idleMs: pace?.idleMs ?? null, prices: context.prices, limited }
  try {
    return await openRemote(request, transport, context)
  } catch (error) {
    await transport[Symbol.asyncDispose]()
    throw error
  }
}

/** Checks the connection before anything else starts. Throws as openOptionalRemote does. */
export async function reachQueue(wish: QueueWish, context: FlowContext): Promise<void> {
  await using _reached = await openServer(wish, context)
}

async function openServer({ address, waitMs }: QueueWish, context: FlowContext): Promise<Transport> {
  const { openTransport } = await import('../../jobs/queue/open.ts')
  const waits = (message: string) =>
    context.emit({ type: 'queue_awaited', place: address.place, message, wait_ms: waitMs })
  return await openTransport(address, usualTiming, { waitMs, waits, signal: context.drain })
}

/** Opens the queue of a benchmark, where one is asked for. */
import type { Plan } from '../../../schemas/plan.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { usualTiming } from '../../jobs/queue/transport.ts'
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
  const [{ openTransport }, { openRemote }] = await Promise.all([
    import('../../jobs/queue/open.ts'),
    import('./remote.ts'),
  ])
  const { address, waitMs } = wish
  const waits = (message: string) =>
    context.emit({ type: 'queue_awaited', place: address.place, message, wait_ms: waitMs })
  const transport = await openTransport(address, usualTiming, { waitMs, waits, signal: context.drain })
  const asked = { mode: sandbox?.mode ?? 'auto', network: sandbox?.network ?? null }
  return await openRemote(
    { wish, plan, folder, sandbox: asked, idleMs: pace?.idleMs ?? null, limited },
    transport,
    context,
  )
}

/** Holds a benchmark folder for one flow: nobody else writes there meanwhile. */
import { existsSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import path from 'node:path'
import { IncompleteError, UserError } from '../base/error.ts'
import { takeLease } from '../store/lease.ts'
import type { Owner } from '../store/owner.ts'
import type { FlowContext } from './context.ts'

export interface Held {
  /** Its signal is aborted too when another host takes the folder over. */
  context: FlowContext
  [Symbol.asyncDispose](): Promise<void>
}

/** Throws UserError that says who holds it; `otherwise` is what else a user may do about that. */
export async function holdBenchmark(folder: string, context: FlowContext, otherwise = ''): Promise<Held> {
  const lease = await takeLease(folder, { signal: context.signal })
  if ('heldBy' in lease) throw heldBy(lease.heldBy, folder, otherwise)
  const lost = new AbortController()
  lease.lost.addEventListener('abort', () => {
    const message = `${folder}: taken over by another process, since this one was silent for too long`
    lost.abort(new IncompleteError(message, 'what was finished is kept; the other process goes on from there'))
  })
  return {
    context: { ...context, signal: AbortSignal.any([context.signal, lost.signal]) },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  }
}

/** What a command that is refused would leave behind empty is removed at its end: the folder, and those above it that were not there before. */
export function leavesNoEmpty(folder: string): AsyncDisposable {
  const made: string[] = []
  for (let one = path.resolve(folder); !existsSync(one); one = path.dirname(one)) made.push(one)
  return {
    async [Symbol.asyncDispose]() {
      for (const one of made) {
        const isGone = await rmdir(one).then(
          () => true,
          () => false,
        )
        if (!isGone) return
      }
    },
  }
}

const held = 'held'

/** Whether holdBenchmark threw it since another process holds the folder. */
export function isHeldElsewhere(error: unknown): boolean {
  return error instanceof UserError && error.code === held
}

function heldBy({ pid, host, since }: Owner, folder: string, otherwise: string): UserError {
  const message = `${folder}: process ${pid} on ${host} has been at work there since ${since}`
  return new UserError(message, `wait until it has ended, or end it (kill ${pid} on ${host})${otherwise}`, held)
}

/** Locks a benchmark folder for one flow, so that no other writes there. */
import { existsSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import path from 'node:path'
import { IncompleteError, UserError } from '../../base/errors/error.ts'
import { removeLeftFiles } from '../../store/artefacts/leftover_files.ts'
import { findLeaseHolder, takeLease } from '../../store/lease/lease.ts'
import type { Owner } from '../../store/lease/lease_owner.ts'
import type { FlowContext } from '../flow_context.ts'

export interface BenchmarkLock {
  /** Its signal also aborts when another host takes over the folder. */
  context: FlowContext
  [Symbol.asyncDispose](): Promise<void>
}

/** First removes half-written files. Throws UserError naming the lock's owner; `otherwise`: the user's alternative. */
export async function lockBenchmark(folder: string, context: FlowContext, otherwise = ''): Promise<BenchmarkLock> {
  const lease = await takeLease(folder, { signal: context.signal })
  if ('heldBy' in lease) throw lockedError(lease.heldBy, folder, otherwise)
  await removeLeftFiles(folder)
  const lost = new AbortController()
  lease.lost.addEventListener('abort', () => {
    const message = `${folder}: taken over by another process, since this one was silent for too long`
    lost.abort(new IncompleteError(message, 'finished runs are kept; the other process continues from there'))
  })
  return {
    context: { ...context, signal: AbortSignal.any([context.signal, lost.signal]) },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  }
}

/** Throws the same if a process on this machine has locked it. Writes nothing. */
export async function assertUnlocked(folder: string, otherwise = ''): Promise<void> {
  const holder = await findLeaseHolder(folder)
  if (holder !== null && holder !== 'gone') throw lockedError(holder, folder, otherwise)
}

/** When disposed of, removes folders that a refused command would leave empty: this one, and the new ones above it. */
export function removeEmptyFoldersAtEnd(folder: string): AsyncDisposable {
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

const lockedCode = 'held'

/** Whether lockBenchmark threw it because another process has locked the folder. */
export function isLockedElsewhere(error: unknown): boolean {
  return error instanceof UserError && error.code === lockedCode
}

function lockedError({ pid, host, since }: Owner, folder: string, otherwise: string): UserError {
  const message = `${folder}: process ${pid} on ${host} has been at work there since ${since}`
  return new UserError(message, `wait until it has ended, or end it (kill ${pid} on ${host})${otherwise}`, lockedCode)
}

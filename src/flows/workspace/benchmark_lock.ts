/** Locks a benchmark folder for one flow, so that no other writes there, and removes what killed ones left. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { succeeds } from '../../base/errors/attempt.ts'
import { IncompleteError, UserError } from '../../base/errors/error.ts'
import { readOwnerState } from '../../base/fs/durable_files.ts'
import { reapTempDirs } from '../../base/fs/temp_dir.ts'
import type { Owner } from '../../store/lease/lease.ts'
import { findLeaseHolder, takeLease } from '../../store/lease/lease.ts'
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
        const isGone = await succeeds(rmdir(one))
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

/** Milliseconds. When the owner is not known here (on another machine, of an earlier version), a file this old is abandoned. */
const oldMs = 3_600_000
/** Levels of a benchmark's own folders: case, configuration, run. Deeper levels belong to agents. */
const levels = 3
/** Folders of agents, and folders that their next user completes. */
const foreign = new Set(['outputs', 'work', 'report.data', '.partial'])

/** Removes abandoned files of a benchmark whose lease is held. Leaves those of living processes. */
export async function removeLeftFiles(folder: string, depth = 0): Promise<void> {
  if (depth > 0) await immediate() // other work must continue in a benchmark of very many runs
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name)
    if (entry.name.endsWith('.tmp')) {
      if (await isLeftBehind(place, depth)) rmSync(place, { recursive: true, force: true })
    } else if (entry.isDirectory() && depth < levels && !foreign.has(entry.name)) {
      await removeLeftFiles(place, depth + 1)
    }
  }
}

async function isLeftBehind(place: string, depth: number): Promise<boolean> {
  const name = path.basename(place)
  const state = await readOwnerState(name)
  // only the holder of the lease writes into the folder of a run
  if (depth === levels) return name.startsWith('.') && state !== 'lives'
  return state === 'gone' || (state === 'unknown' && isOld(place))
}

function isOld(place: string): boolean {
  const info = statSync(place, { throwIfNoEntry: false })
  return info !== undefined && Date.now() - info.mtimeMs > oldMs
}

/** Reports each folder that can't be removed once, and skips it from then on. */
export async function clearLeftovers({ emit }: Pick<FlowContext, 'emit'>): Promise<void> {
  await reapTempDirs((folder) => {
    const message = `${folder}: a temporary folder of a killed benchmark can't be removed`
    emit({ type: 'artefact_damaged', file: folder, message, mended: 'ignored from now on; remove it yourself' })
  })
}

/** `what`: such as "12 cached results". */
export function reportForeignResults(
  { place, what }: { place: string; what: string },
  { emit }: Pick<FlowContext, 'emit'>,
): void {
  const message = `${what} without your signature: not used (in CI, set WHETSTONE_SIGNING_KEY; in the GitHub Action, signing-key)`
  emit({ type: 'foreign_results', place, message })
}

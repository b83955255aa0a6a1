/** A lock on one file that several processes read, change and write back. */
import { mkdir, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errnoCode, UserError } from '../../base/errors/error.ts'
import { takeLease } from './lease.ts'

/** Maximum wait for the lock, in milliseconds. */
const lockTimeoutMs = 60_000

/** Runs the work while no other process works on this file; a killed process releases the lock. Throws UserError after a wait in vain. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const folder = path.join(path.dirname(file), `.${path.basename(file)}.lock`)
  const start = performance.now()
  for (;;) {
    await mkdir(folder).catch(ifThere) // recursive, it may fail while another process removes the folder
    const lease = await takeLease(folder).catch(ifRemoved)
    if (lease !== null && !('heldBy' in lease)) {
      try {
        return await work()
      } finally {
        await lease[Symbol.asyncDispose]()
        await rmdir(folder).catch(() => {}) // another process waits
      }
    }
    if (performance.now() - start > lockTimeoutMs) {
      const who = lease === null ? 'another process' : `process ${lease.heldBy.pid} on ${lease.heldBy.host}`
      throw new UserError(`${file}: ${who} has been writing it for a minute`, 'stop that process, then save again')
    }
    await sleep(5 + Math.random() * 40)
  }
}

function ifThere(error: unknown): void {
  if (errnoCode(error) !== 'EEXIST') throw error
}

/** The last holder of the lock removed its folder. */
function ifRemoved(error: unknown): null {
  if (errnoCode(error) === 'ENOENT') return null
  throw error
}

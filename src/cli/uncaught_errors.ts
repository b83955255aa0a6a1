/** Handles uncaught errors: releases what the program holds, then ends it. */
import { clearOwnTempDirs } from '../base/fs/temp_dir.ts'
import { endGroups } from '../base/process/spawn.ts'
import { dropLeases } from '../store/lease/lease.ts'
import { exitCodes } from './exit_codes.ts'

/** Active until disposed of; `report` prints the error and returns the exit code. */
export function handleUncaught(report: (error: unknown) => number): Disposable {
  let isEnding = false
  const onError = (error: unknown) => {
    if (isEnding) return // interrupted work may throw again
    isEnding = true
    letGo()
    let code: number = exitCodes.bug
    try {
      code = report(error)
    } finally {
      process.exit(code)
    }
  }
  process.on('uncaughtException', onError) // covers promises too: Node turns an unhandled rejection into an exception
  return { [Symbol.dispose]: () => void process.off('uncaughtException', onError) }
}

/** Synchronous, so that nothing else runs in between. */
function letGo(): void {
  for (const end of [endGroups, clearOwnTempDirs, dropLeases]) {
    try {
      end()
    } catch {} // the next one may succeed
  }
}

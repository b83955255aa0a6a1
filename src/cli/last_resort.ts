/** The last resort: an error that nothing caught ends the program, which lets go before of what it holds. */
import { clearOwnRooms } from '../base/room.ts'
import { endGroups } from '../base/spawn.ts'
import { dropLeases } from '../store/lease.ts'
import { exitCodes } from './exit.ts'

/** From now on, until disposed; `report` prints the error and gives the exit code. */
export function lastResort(report: (error: unknown) => Promise<number>): Disposable {
  let isEnding = false
  const onError = (error: unknown) => {
    if (isEnding) return // what ends in the middle of its work may throw again
    isEnding = true
    letGo()
    const end = (code: number) => {
      letGo() // of what was begun meanwhile
      process.exit(code)
    }
    report(error).then(end, () => end(exitCodes.bug))
  }
  process.on('uncaughtException', onError) // of a promise too: Node makes one of the other
  return { [Symbol.dispose]: () => void process.off('uncaughtException', onError) }
}

/** Nothing here waits, so that nothing else goes on meanwhile. */
function letGo(): void {
  for (const end of [endGroups, clearOwnRooms, dropLeases]) {
    try {
      end()
    } catch {} // the next one may go
  }
}

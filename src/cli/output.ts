/** Standard output and standard error that can't be written. Loads next to nothing: the program's entry uses it. */
import { exitCodes } from './exit.ts'

/** Watches them from now on; gives whether something was lost, which is said once. What runs goes on: its results are on disk. */
export function watchOutput(): () => boolean {
  let isLost = false
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // whoever read it has gone (`| head`, a terminal that closed)
      if (error.code === 'EPIPE' || (stream.isTTY && error.code === 'EIO')) return
      if (!isLost && stream === process.stdout) {
        process.stderr.write(`error: standard output can't be written: ${error.message}\n`)
      }
      isLost = true
      process.exitCode ||= exitCodes.incomplete
    })
  }
  return () => isLost
}

/** Detects write errors on standard output and standard error. */
import { exitCodes } from '../exit_codes.ts'

/** Starts watching; returns whether output was lost, which it reports once. Work continues: its results are on disk. */
export function watchOutput(): () => boolean {
  let isLost = false
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // the reader has gone (`| head`, a closed terminal)
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

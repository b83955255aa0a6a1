/** The thread in which runs are read: their ids in, their bytes out. */
import { parentPort } from 'node:worker_threads'
import { readRunBytes, type Wanted } from './run_bytes.ts'

parentPort?.on('message', (wanted: Wanted) => {
  const { room, lengths } = readRunBytes(wanted)
  parentPort?.postMessage({ room, lengths }, [room])
})

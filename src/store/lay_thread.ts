/** The thread in which runs are laid out: a list of them in, what went wrong out. */
import { parentPort } from 'node:worker_threads'
import { codeOf, messageOf } from '../base/error.ts'
import { type Laying, layRun } from './lay_run.ts'

/** null: all are in their places; else the rest was left. */
export type Answer = { message: string; code: string | null } | null

parentPort?.on('message', (layings: readonly Laying[]) => {
  parentPort?.postMessage(lay(layings))
})

function lay(layings: readonly Laying[]): Answer {
  try {
    for (const one of layings) layRun(one)
    return null
  } catch (error) {
    return { message: messageOf(error), code: codeOf(error) }
  }
}

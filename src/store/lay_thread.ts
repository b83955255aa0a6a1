/** The thread in which runs are laid out, and small files: a list of them in, what went wrong out. */
import { parentPort } from 'node:worker_threads'
import { codeOf, messageOf } from '../base/error.ts'
import { type LaidFile, type Laying, layFiles, layRun } from './lay_run.ts'

/** What is to be laid. */
export type Asked = { runs: readonly Laying[] } | { files: readonly LaidFile[] }

/** null: all are in their places; else the rest was left. */
export type Answer = { message: string; code: string | null } | null

parentPort?.on('message', (asked: Asked) => {
  parentPort?.postMessage(lay(asked))
})

function lay(asked: Asked): Answer {
  try {
    if ('files' in asked) layFiles(asked.files)
    else for (const one of asked.runs) layRun(one)
    return null
  } catch (error) {
    return { message: messageOf(error), code: codeOf(error) }
  }
}

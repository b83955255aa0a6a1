/** Reads the events of a run from its transcript, and the calls of its suite's programs. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type * as z from 'zod'
import { type ProgramCall, programCall } from '../../../../../schemas/program.ts'
import { type TranscriptEvent, transcriptEvent } from '../../../../../schemas/transcript.ts'
import { checkAs, parseJson } from '../../../../base/json/json.ts'

/** Throws if the file is missing, or a line is not a valid event. */
export async function readEvents(file: string): Promise<TranscriptEvent[]> {
  return await readLines(file, transcriptEvent)
}

/** null: the run did not record any. Throws if a line is not a valid call. */
export async function readProgramCalls(file: string): Promise<ProgramCall[] | null> {
  return existsSync(file) ? await readLines(file, programCall) : null
}

async function readLines<S extends z.ZodType>(file: string, schema: S): Promise<z.infer<S>[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  return lines.map((line, index) => {
    const at = `${file}:${index + 1}`
    return checkAs(schema, parseJson(line, at), at)
  })
}

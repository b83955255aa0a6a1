/** The events of a run, read from its transcript. */
import { readFile } from 'node:fs/promises'
import { type TranscriptEvent, transcriptEvent } from '../../../../schemas/transcript.ts'
import { checkAs, parseJson } from '../../../base/json.ts'

/** Throws when the file is not there, or a line is none of our events. */
export async function readEvents(file: string): Promise<TranscriptEvent[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  return lines.map((line, index) => {
    const at = `${file}:${index + 1}`
    return checkAs(transcriptEvent, parseJson(line, at), at)
  })
}

/** Reads the events of a run from its transcript. */
import { readFile } from 'node:fs/promises'
import { type TranscriptEvent, transcriptEvent } from '../../../../../schemas/transcript.ts'
import { checkAs, parseJson } from '../../../../base/json/json.ts'

/** Throws if the file is missing, or a line is not a valid event. */
export async function readEvents(file: string): Promise<TranscriptEvent[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  return lines.map((line, index) => {
    const at = `${file}:${index + 1}`
    return checkAs(transcriptEvent, parseJson(line, at), at)
  })
}

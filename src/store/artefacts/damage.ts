/** Reads artefacts and reports damaged ones (cut off, not JSON, otherwise invalid), so that people can fix them. */
import { readFile } from 'node:fs/promises'
import type * as z from 'zod'
import type { RunRecord } from '../../../schemas/run.ts'
import { type TranscriptEvent, transcriptEvent } from '../../../schemas/transcript.ts'
import { errnoCode, errorMessage, UserError } from '../../base/errors/error.ts'
import { readRegularFile } from '../../base/fs/special_files.ts'
import { checkAs, parseJson } from '../../base/json/json.ts'
import { isShortage } from '../../base/process/resource_shortage.ts'

export interface Damage {
  /** Absolute path. */
  file: string
  /** Names the file, and where in it the mistake is. */
  message: string
  /** It is complete, but this user did not sign it; absent: it is damaged. */
  foreign?: true
}

export type OnDamage = (damage: Damage) => void

/** The value; null: missing, or invalid, which is reported. */
export function tryReadArtefact<S extends z.ZodType>(
  schema: S,
  file: string,
  onDamage: OnDamage = () => {},
): z.infer<S> | null {
  try {
    return checkAs(schema, parseJson(readRegularFile(file).toString('utf8'), file), file)
  } catch (error) {
    const code = errnoCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (!(error instanceof UserError) && code === null) throw error
    const message = error instanceof UserError ? error.message : `${file}: ${errorMessage(error)}`
    onDamage({ file, message })
    return null
  }
}

/** The events of a run's transcript.jsonl; null: missing or damaged, which is reported. A completed run must have a result. */
export async function readTranscript(
  file: string,
  { status }: Pick<RunRecord, 'status'>,
  onDamage: OnDamage,
): Promise<TranscriptEvent[] | null> {
  const tell = (message: string) => {
    onDamage({ file, message: `${file}: ${message}` })
    return null
  }
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errnoCode(error) === null || isShortage(error)) throw error
    return { why: errnoCode(error) === 'ENOENT' ? 'is missing' : errorMessage(error) }
  })
  if (typeof text !== 'string') return tell(text.why)
  if (!text.endsWith('\n')) return tell('is cut off')
  try {
    const lines = text.slice(0, -1).split('\n')
    const events = lines.map((line, index) =>
      checkAs(transcriptEvent, parseJson(line, file, index + 1), `${file}:${index + 1}`),
    )
    const isWhole = status !== 'completed' || events.some(({ type }) => type === 'result')
    return isWhole ? events : tell('is cut off: it has no result')
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    onDamage({ file, message: error.message })
    return null
  }
}

/** Artefacts that are cut off, no JSON or otherwise unfit: found and named, since what is silent is never mended. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import type { RunRecord } from '../../schemas/run.ts'
import { type TranscriptEvent, transcriptEvent } from '../../schemas/transcript.ts'
import { codeOf, messageOf, UserError } from '../base/error.ts'
import { checkAs, parseJson } from '../base/json.ts'
import { isShortage } from '../base/shortage.ts'

export interface Damage {
  /** Absolute path. */
  file: string
  /** Names the file, and where in it what is wrong. */
  message: string
}

/** Given as an object, since Node makes one of a name for each file. */
const asText = { encoding: 'utf8', flag: 'r' } as const

export type OnDamage = (damage: Damage) => void

/** A file's text that was read before; null: it is not there; undefined: it was not read yet. */
export type Ahead = string | null | undefined

/**
 * The value; null where the file is missing, or unfit, which is told. Small files by the thousand: read at once, which takes
 * a fifth of the time.
 */
export function readIf<S extends z.ZodType>(
  schema: S,
  file: string,
  onDamage: OnDamage = () => {},
  ahead?: Ahead,
): z.infer<S> | null {
  if (ahead === null) return null
  try {
    return checkAs(schema, parseJson(ahead ?? readFileSync(file, asText), file), file)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (!(error instanceof UserError) && code === null) throw error
    const message = error instanceof UserError ? error.message : `${file}: ${messageOf(error)}`
    onDamage({ file, message })
    return null
  }
}

/** The events of a run's transcript.jsonl; null where it is missing or damaged, which is told. Who completed has said a result. */
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
    if (codeOf(error) === null || isShortage(error)) throw error
    return { why: codeOf(error) === 'ENOENT' ? 'is not there' : messageOf(error) }
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

/** Artefacts that are cut off, no JSON or otherwise unfit: found and named, since what is silent is never mended. */
import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import { type TranscriptEvent, transcriptEvent } from '../../schemas/transcript.ts'
import { codeOf, UserError } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { checkAs, parseJson, readJson } from '../base/json.ts'

export interface Damage {
  /** Absolute path. */
  file: string
  /** Names the file, and where in it what is wrong. */
  message: string
}

export type OnDamage = (damage: Damage) => void

/** The value; null where the file is missing, or unfit, which is told. */
export async function readIf<S extends z.ZodType>(
  schema: S,
  file: string,
  onDamage: OnDamage = () => {},
): Promise<z.infer<S> | null> {
  if (!(await exists(file))) return null
  return readJson(schema, file).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error
    onDamage({ file, message: error.message })
    return null
  })
}

/** The events of a transcript.jsonl; null where it is missing or damaged, which is told. */
export async function readTranscript(file: string, onDamage: OnDamage): Promise<TranscriptEvent[] | null> {
  const tell = (message: string) => {
    onDamage({ file, message: `${file}: ${message}` })
    return null
  }
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  })
  if (text === null) return tell('is not there')
  if (!text.endsWith('\n')) return tell('is cut off')
  try {
    const lines = text.slice(0, -1).split('\n')
    return lines.map((line, index) => checkAs(transcriptEvent, parseJson(line, file), `${file}:${index + 1}`))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    onDamage({ file, message: error.message })
    return null
  }
}

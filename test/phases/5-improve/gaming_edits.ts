/** Reads judge_games.yaml. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'

export interface GamingEdit {
  kind: string
  /** Added to the skill. */
  text: string
}

const byKind = z
  .record(z.string(), z.array(z.string()))
  .transform((table): GamingEdit[] =>
    Object.entries(table).flatMap(([kind, texts]) => texts.map((text) => ({ kind, text }))),
  )
const edits = z
  .strictObject({ gaming: byKind, unfound: byKind, honest: z.array(z.string()) })
  .parse(parse(readFileSync(path.join(import.meta.dirname, 'judge_games.yaml'), 'utf8')))

/** `unfoundGamingEdits`: what the static rule does not find; another judge has to. */
export const { gaming: gamingEdits, unfound: unfoundGamingEdits, honest: honestEdits } = edits

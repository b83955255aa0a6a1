/** Removes transcript and outputs of a run. A mark is written first, so that no reader takes a half-removed run for a whole one. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { type Removed, removed as removedSchema } from '../../../schemas/removed.ts'
import { findOwnFile } from '../../base/fs/inside_folder.ts'
import { removeTree } from '../../base/fs/temp_dir.ts'
import { sha256 } from '../../base/json/json.ts'
import { writeArtefact } from '../store.ts'
import { tryReadArtefact } from './damage.ts'

/** What the agent said and left, and what checks of it wrote; metrics.json has only numbers and stays. */
const parts = ['transcript.jsonl', 'transcript.md', 'programs.jsonl', 'verifier', 'outputs']
const keptOutput = 'metrics.json'

function removedMark(runFolder: string): string {
  return path.join(runFolder, 'removed.json')
}

/** null: the run has its transcript and outputs. */
export function readRemoved(runFolder: string): Removed | null {
  return tryReadArtefact(removedSchema, removedMark(runFolder))
}

/** Such as "was removed by whetstone clean on 2026-01-15". */
export function describeRemoved({ by, removed_at }: Removed): string {
  const who = { clean: 'whetstone clean', no_transcripts: '--no-transcripts' }[by]
  return `was removed by ${who} on ${removed_at.slice(0, 10)}`
}

/** The files and folders of a run that removeRunParts would remove, absolute. */
export function listRunParts(runFolder: string): string[] {
  return parts.flatMap((name) => {
    const place = path.join(runFolder, name)
    const info = lstatSync(place, { throwIfNoEntry: false })
    if (info === undefined) return []
    if (name !== 'outputs' || !info.isDirectory()) return [place]
    return readdirSync(place).flatMap((inner) => (inner === keptOutput ? [] : [path.join(place, inner)]))
  })
}

function hashTranscript(runFolder: string): string | null {
  const file = findOwnFile(runFolder, 'transcript.md')
  return file === null ? null : sha256(readFileSync(file, 'utf8'))
}

/** `runFolder`: of a committed run whose benchmark is locked. Links are removed, never followed. */
export async function removeRunParts(runFolder: string, by: Removed['by'], now: Date): Promise<void> {
  const found = listRunParts(runFolder)
  if (found.length === 0) return
  if (!existsSync(removedMark(runFolder))) {
    await writeArtefact(removedSchema, removedMark(runFolder), {
      schema_version: 1,
      removed_at: now.toISOString(),
      transcript_sha256: hashTranscript(runFolder),
      by,
    })
  }
  for (const place of found) {
    if (lstatSync(place).isDirectory()) await removeTree(place)
    else await rm(place, { force: true })
  }
}

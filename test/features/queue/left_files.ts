/** What benchmarks left in folders. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { RunRecord } from '../../../schemas/run.ts'

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())

/** All that lies below the folders, as text. */
export function contentOf(...folders: string[]): string {
  return folders.flatMap((folder) => filesIn(folder).map((file) => readFileSync(file, 'latin1'))).join('\n')
}

/** The records of the runs below a folder. */
export function recordsIn(workspace: string): RunRecord[] {
  const records = filesIn(workspace).filter((file) => path.basename(file) === 'run.json')
  return records.map((file) => JSON.parse(readFileSync(file, 'utf8')))
}

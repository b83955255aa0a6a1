/** Removes credentials from a run's record and files, before or just after they are in the run's folder. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RunRecord } from '../../../../schemas/run.ts'
import { listPlainFiles } from '../../../base/fs/files.ts'
import { sha256 } from '../../../base/json/json.ts'
import type { Redactor } from '../../../base/secrets/redact.ts'
import { withVisibleControls } from '../../../base/text/show_control_characters.ts'

/** Redacts the texts of the agent and the engine; ids, names and paths stay. */
export function cleanRecord(record: RunRecord, redactor: Redactor): RunRecord {
  const { final_response, stop_reason, warnings, permission_denials } = record
  const said = redactor.value({ final_response, stop_reason, warnings, permission_denials })
  if (record.status !== 'failed') return { ...record, ...said }
  return { ...record, ...said, error: { ...record.error, message: redactor.text(record.error.message) } }
}

/** Copies the agent's redacted stderr from the temp directory into the run's folder, safe to show in a terminal. */
export function keepStderr(from: string, to: string, redactor: Redactor): void {
  if (!existsSync(from)) return // most agents write nothing to stderr
  const written = readFileSync(from)
  if (written.length > 0) writeFileSync(to, withVisibleControls(redactor.text(written.toString('utf8'))))
}

/** Removes the user's own credentials from the collected files. Everything else stays as the agent wrote it. */
export function cleanOutputs(folder: string, outputs: RunRecord['outputs'], redactor: Redactor): string[] {
  return outputs.files.flatMap((file) => {
    const clean = cleanFile(path.join(folder, file.path), redactor)
    if (clean === null) return []
    file.bytes = clean.bytes.length
    file.sha256 = sha256(clean.bytes)
    return [`${file.path} contained the value of ${clean.names.join(', ')}, which was removed`]
  })
}

/** Removes the user's own credentials from every file of a folder of Whetstone's. */
export function cleanFolder(folder: string, redactor: Redactor): void {
  for (const file of listPlainFiles(folder)) cleanFile(file, redactor)
}

/** null: the file has none of them. */
function cleanFile(file: string, redactor: Redactor): ReturnType<Redactor['bytes']> {
  const clean = redactor.bytes(readFileSync(file))
  if (clean === null) return null
  const { mode } = statSync(file)
  rmSync(file) // an agent may leave files that are read-only
  writeFileSync(file, clean.bytes, { mode })
  return clean
}

/** Takes credentials out of what a run leaves behind, before it lies in the run's folder or just after. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RunRecord } from '../../../schemas/run.ts'
import { sha256 } from '../../base/json.ts'
import type { Redactor } from '../../base/redact.ts'

/** The record with what the agent and the engine said cleaned; ids, names and paths stay. */
export function cleanRecord(record: RunRecord, redactor: Redactor): RunRecord {
  const { final_response, stop_reason, warnings, permission_denials } = record
  const said = redactor.value({ final_response, stop_reason, warnings, permission_denials })
  if (record.status !== 'failed') return { ...record, ...said }
  return { ...record, ...said, error: { ...record.error, message: redactor.text(record.error.message) } }
}

/** Brings the agent's stderr into the run's folder. What it wrote lay in the room until now. */
export function keepStderr(from: string, to: string, redactor: Redactor): void {
  if (!existsSync(from)) return // most agents say nothing there, and an error that is thrown takes more than a look
  const written = readFileSync(from)
  if (written.length > 0) writeFileSync(to, redactor.text(written.toString('utf8')))
}

/** Takes the user's own values out of the collected files. Whatever else an agent makes is its product, and stays as it is. */
export function cleanOutputs(folder: string, outputs: RunRecord['outputs'], redactor: Redactor): string[] {
  return outputs.files.flatMap((file) => {
    const place = path.join(folder, file.path)
    const clean = redactor.bytes(readFileSync(place))
    if (clean === null) return []
    const { mode } = statSync(place)
    rmSync(place) // an agent may leave what nobody can write to
    writeFileSync(place, clean.bytes, { mode })
    file.bytes = clean.bytes.length
    file.sha256 = sha256(clean.bytes)
    return [`${file.path} held the value of ${clean.names.join(', ')}; it is taken out`]
  })
}

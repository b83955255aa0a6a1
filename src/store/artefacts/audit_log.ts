/** audit_log.jsonl at the root of a workspace: append-only. */
import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import { type AuditLine, auditLine } from '../../../schemas/audit.ts'
import { checkAs } from '../../base/json/json.ts'
import type { OnDamage } from './damage.ts'
import { nextLine, readReadableLines } from './line_file.ts'

export function auditLogFile(workspace: string): string {
  return path.join(workspace, 'audit_log.jsonl')
}

/** People's labels by id, without withdrawn ones. Reports and skips lines that can't be read. */
export function readAuditLog(workspace: string, onDamage: OnDamage = () => {}): ReadonlyMap<string, AuditLine> {
  const labels = new Map<string, AuditLine>()
  for (const line of readReadableLines(auditLine, auditLogFile(workspace), onDamage)) {
    if (line.met === null) labels.delete(line.id)
    else labels.set(line.id, line)
  }
  return labels
}

/** Appends one complete line. Throws UserError when the log is a link. */
export async function appendAudit(workspace: string, line: AuditLine): Promise<void> {
  const file = auditLogFile(workspace)
  await appendFile(file, nextLine(file, checkAs(auditLine, line, file)))
}

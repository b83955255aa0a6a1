/** audit_log.jsonl at the root of a workspace: appended to, never rewritten. */
import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import { type AuditLine, auditLine } from '../../schemas/audit.ts'
import { checkAs } from '../base/json.ts'
import type { OnDamage } from './damage.ts'
import { nextLine, readableLines } from './line_file.ts'

export function auditLogFile(workspace: string): string {
  return path.join(workspace, 'audit_log.jsonl')
}

/** What people say, by id; what was taken back is not in it. A line that can't be read is told and passed over. */
export function readAuditLog(workspace: string, onDamage: OnDamage = () => {}): ReadonlyMap<string, AuditLine> {
  const labels = new Map<string, AuditLine>()
  for (const line of readableLines(auditLine, auditLogFile(workspace), onDamage)) {
    if (line.met === null) labels.delete(line.id)
    else labels.set(line.id, line)
  }
  return labels
}

/** One line, whole. Throws UserError where the log is a link. */
export async function appendAudit(workspace: string, line: AuditLine): Promise<void> {
  const file = auditLogFile(workspace)
  await appendFile(file, nextLine(file, checkAs(auditLine, line, file)))
}

/** audit_log.jsonl at the root of a workspace: appended to, never rewritten. */
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import { type AuditLine, auditLine } from '../../schemas/audit.ts'
import { messageOf, UserError } from '../base/error.ts'
import { checkAs, parseJson } from '../base/json.ts'
import type { OnDamage } from './damage.ts'

export function auditLogFile(workspace: string): string {
  return path.join(workspace, 'audit_log.jsonl')
}

/** What people say, by id; what was taken back is not in it. A line that can't be read is told and passed over. */
export function readAuditLog(workspace: string, onDamage: OnDamage = () => {}): ReadonlyMap<string, AuditLine> {
  const file = auditLogFile(workspace)
  const labels = new Map<string, AuditLine>()
  if (!existsSync(file)) return labels
  for (const [index, text] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (text.trim() === '') continue
    try {
      const line = checkAs(auditLine, parseJson(text, file, index + 1), `${file}:${index + 1}`)
      if (line.met === null) labels.delete(line.id)
      else labels.set(line.id, line)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      onDamage({ file, message: messageOf(error) })
    }
  }
  return labels
}

/** One line, whole; after a line that was cut off it begins a new one. Throws UserError where it is a link, which may lead to any file of this machine's. */
export async function appendAudit(workspace: string, line: AuditLine): Promise<void> {
  const file = auditLogFile(workspace)
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    throw new UserError(`${file} is a link: what is said would be written elsewhere`, 'put the file itself there')
  }
  const cut = existsSync(file) && !/(^|\n)$/.test(readFileSync(file, 'utf8').slice(-1))
  await appendFile(file, `${cut ? '\n' : ''}${JSON.stringify(checkAs(auditLine, line, file))}\n`)
}

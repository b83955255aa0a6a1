/** From what a proposer left behind to the files of a candidate, or the reason why there is none. */
import path from 'node:path'
import { type WalkedFile, walk } from '../../base/files.ts'
import { isHiddenFromAgents, skillFiles } from '../../phases/1-plan/skill.ts'
import { proposerFailed } from './memory.ts'
import type { Proposed } from './propose.ts'

export type Candidate = { status: 'made'; files: WalkedFile[] } | { status: 'refused'; rule: string; reason: string }

const refused = (rule: string, reason: string): Candidate => ({ status: 'refused', rule, reason })

/** `parent`: the folder of the version that was changed; `name`: that of the skill, under which the copy lay. */
export async function candidateOf(
  { record, outputs, escaped }: Proposed,
  at: { parent: string; name: string; seconds: number },
): Promise<Candidate> {
  if (escaped !== null)
    return refused('wrote_outside', `it changed ${escaped}, outside of its copy; that is as before again`)
  switch (record.status) {
    case 'timed_out':
      return refused('no_end', `it had not ended after ${at.seconds} s`)
    case 'failed':
      return refused(proposerFailed, `${record.error.kind}: ${record.error.message}`)
    case 'cancelled':
      return refused(proposerFailed, 'it was cancelled')
    case 'completed':
      return await changedCopy({ record, outputs }, at)
  }
}

async function changedCopy(
  { record, outputs }: Pick<Proposed, 'record' | 'outputs'>,
  at: { parent: string; name: string },
): Promise<Candidate> {
  const own = `${at.name}/`
  const inside = (file: { path: string }) => file.path.startsWith(own)
  const leftOut = record.outputs.left_out.find(inside)
  if (leftOut !== undefined) return refused('unfit_file', `${leftOut.path}: ${leftOut.reason}`)
  const changed = record.outputs.files.filter(inside).map(({ path: name }) => name.slice(own.length))
  const hidden = changed.find(isHiddenFromAgents)
  if (hidden !== undefined) return refused('touches_suite', `it made ${hidden}, which is no part of what agents get`)
  const gone = new Set(record.outputs.deleted.filter((one) => one.startsWith(own)).map((one) => one.slice(own.length)))
  const now = new Map((await skillFiles(at.parent)).files.map((file) => [file.path, file]))
  for (const name of gone) now.delete(name)
  const made = await walk(path.join(outputs, at.name), { unreadable: 'leave_out' })
  for (const file of made.files) if (changed.includes(file.path)) now.set(file.path, file)
  if (changed.length + gone.size === 0) return refused('no_change', 'it changed nothing in its copy')
  const twice = alikeIn([...now.keys()], changed)
  if (twice !== null)
    return refused('unfit_file', `${twice}: names that differ in case only are one file on some systems`)
  return { status: 'made', files: [...now.values()].sort((a, b) => (a.path < b.path ? -1 : 1)) }
}

/** Two names of one file on macOS and Windows, one of them changed; null: there are none. */
export function alikeIn(names: readonly string[], changed: readonly string[]): string | null {
  const folded = (name: string) => name.normalize('NFC').toLowerCase()
  for (const name of changed) {
    const other = names.find((one) => one !== name && folded(one) === folded(name))
    if (other !== undefined && names.includes(name)) return `${name} and ${other}`
  }
  return null
}

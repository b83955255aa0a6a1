/** Reads a proposer's output: the files of a candidate, or the reason why there is none. */
import path from 'node:path'
import { type WalkedFile, walk } from '../../../base/fs/files.ts'
import { isHiddenFromAgents, listSkillFiles } from '../../../phases/1-plan/skill/read_skill.ts'
import { proposerFailedRule } from '../session/proposal_memory.ts'
import type { ProposalOutcome } from './propose.ts'

export type Candidate = { status: 'made'; files: WalkedFile[] } | { status: 'refused'; rule: string; reason: string }

const refuseCandidate = (rule: string, reason: string): Candidate => ({ status: 'refused', rule, reason })

/** `parent`: the folder of the edited version; `name`: the skill's name and that of its copy's folder. */
export async function readCandidate(
  { record, outputs, escaped }: ProposalOutcome,
  at: { parent: string; name: string; seconds: number },
): Promise<Candidate> {
  if (escaped !== null)
    return refuseCandidate('wrote_outside', `it changed ${escaped}, outside of its copy; that is as before again`)
  switch (record.status) {
    case 'timed_out':
      return refuseCandidate('no_end', `it had not ended after ${at.seconds} s`)
    case 'failed':
      return refuseCandidate(proposerFailedRule, `${record.error.kind}: ${record.error.message}`)
    case 'cancelled':
      return refuseCandidate(proposerFailedRule, 'it was cancelled')
    case 'completed':
      return await readChangedCopy({ record, outputs }, at)
  }
}

async function readChangedCopy(
  { record, outputs }: Pick<ProposalOutcome, 'record' | 'outputs'>,
  at: { parent: string; name: string },
): Promise<Candidate> {
  const own = `${at.name}/`
  const inside = (file: { path: string }) => file.path.startsWith(own)
  const leftOut = record.outputs.left_out.find(inside)
  if (leftOut !== undefined) return refuseCandidate('unfit_file', `${leftOut.path}: ${leftOut.reason}`)
  const changed = record.outputs.files.filter(inside).map(({ path: name }) => name.slice(own.length))
  const hidden = changed.find(isHiddenFromAgents)
  if (hidden !== undefined) return refuseCandidate('touches_suite', `it created ${hidden}, which agents do not get`)
  const gone = new Set(record.outputs.deleted.filter((one) => one.startsWith(own)).map((one) => one.slice(own.length)))
  const now = new Map((await listSkillFiles(at.parent)).files.map((file) => [file.path, file]))
  for (const name of gone) now.delete(name)
  const made = await walk(path.join(outputs, at.name), { unreadable: 'leave_out' })
  for (const file of made.files) if (changed.includes(file.path)) now.set(file.path, file)
  if (changed.length + gone.size === 0) return refuseCandidate('no_change', 'it changed nothing in its copy')
  const twice = findNameClash([...now.keys()], changed)
  if (twice !== null)
    return refuseCandidate('unfit_file', `${twice}: names that differ in case only are one file on some systems`)
  return { status: 'made', files: [...now.values()].sort((a, b) => (a.path < b.path ? -1 : 1)) }
}

/** Two names that are one file on macOS and Windows, one of them changed; null: there are none. */
export function findNameClash(names: readonly string[], changed: readonly string[]): string | null {
  const folded = (name: string) => name.normalize('NFC').toLowerCase()
  for (const name of changed) {
    const other = names.find((one) => one !== name && folded(one) === folded(name))
    if (other !== undefined && names.includes(name)) return `${name} and ${other}`
  }
  return null
}

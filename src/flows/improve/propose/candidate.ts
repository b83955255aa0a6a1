/** Reads a proposer's output: one edit for each copy of the skill that it changed, or the reason why there is none. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import type { RunRecord } from '../../../../schemas/run.ts'
import { type WalkedFile, walk } from '../../../base/fs/files.ts'
import { readText } from '../../../base/json/json.ts'
import { findJsonAnswer } from '../../../engines/answers/json_answer.ts'
import { isHiddenFromAgents, listSkillFiles } from '../../../phases/1-plan/skill/read_skill.ts'
import { changeFolder, parseSummary } from '../../../phases/5-improve/propose_prompt.ts'
import type { ProposalOutcome } from './propose.ts'

/** An edit as the proposer left it. `files`: the whole skill with it. */
export type EditCandidate = { id: string; summary: string; why: string } & (
  | { status: 'made'; files: WalkedFile[] }
  | { status: 'refused'; rule: string; reason: string }
)

export interface RefusedProposal {
  rule: string
  reason: string
}

/** The rule for a failure of the proposer itself, not of its edits: for example a crash, or a limit on its account. */
export const proposerFailedRule = 'proposer_failed'

/** `parent`: the folder of the edited version; `name`: the skill's name; `id`: round and number of the proposal. */
export interface CandidatePlace {
  parent: string
  name: string
  seconds: number
  id: string
  /** That it may make, at most. */
  changes: number
}

/** Why the whole proposal can't be used, or its edits in their order. */
export async function readCandidates(
  { record, outputs, escaped }: ProposalOutcome,
  at: CandidatePlace,
): Promise<{ refused: RefusedProposal } | { edits: EditCandidate[] }> {
  const refuse = (rule: string, reason: string) => ({ refused: { rule, reason } })
  if (escaped !== null) return refuse('wrote_outside', `it changed ${escaped}, outside of its copies; it is restored`)
  switch (record.status) {
    case 'timed_out':
      return refuse('no_end', `it had not ended after ${at.seconds} s`)
    case 'failed':
      return refuse(proposerFailedRule, `${record.error.kind}: ${record.error.message}`)
    case 'cancelled':
      return refuse(proposerFailedRule, 'it was cancelled')
    case 'completed': {
      if (record.activation === 'answer') return await readTextEdits(record.final_response, outputs, at)
      const changes = Array.from({ length: at.changes }, (_, index) => index + 1)
      const edits = await Promise.all(changes.map((change) => readChangedCopy({ record, outputs }, at, change)))
      const made = edits.filter((one) => one !== null)
      return made.length === 0 ? refuse('no_change', 'it changed nothing in its copies') : { edits: made }
    }
  }
}

/** null: the copy is as it was. */
async function readChangedCopy(
  { record, outputs }: { record: RunRecord; outputs: string },
  at: CandidatePlace,
  change: number,
): Promise<EditCandidate | null> {
  const folder = changeFolder(change, at.name)
  const own = `${folder}/`
  const inside = (file: { path: string }) => file.path.startsWith(own)
  const told = { id: `${at.id}.${change}`, ...parseSummary(record.final_response, change) }
  const refuse = (rule: string, reason: string) => ({ ...told, status: 'refused' as const, rule, reason })
  const leftOut = record.outputs.left_out.find(inside)
  if (leftOut !== undefined) return refuse('unfit_file', `${leftOut.path}: ${leftOut.reason}`)
  const changed = record.outputs.files.filter(inside).map(({ path: name }) => name.slice(own.length))
  const hidden = changed.find(isHiddenFromAgents)
  if (hidden !== undefined) return refuse('touches_suite', `it created ${hidden}, which agents do not get`)
  const gone = record.outputs.deleted.filter((one) => one.startsWith(own)).map((one) => one.slice(own.length))
  if (changed.length + gone.length === 0) return null
  const now = new Map((await listSkillFiles(at.parent)).files.map((file) => [file.path, file]))
  for (const name of gone) now.delete(name)
  const made = await walk(path.join(outputs, folder), { unreadable: 'leave_out' })
  for (const file of made.files) if (changed.includes(file.path)) now.set(file.path, file)
  const twice = findNameClash([...now.keys()], changed)
  if (twice !== null)
    return refuse('unfit_file', `${twice}: names that differ in case only are one file on some systems`)
  return { ...told, status: 'made', files: [...now.values()].sort((a, b) => (a.path < b.path ? -1 : 1)) }
}

const textEdit = z.object({
  why: z.string().default(''),
  summary: z.string().default(''),
  search: z.string().describe('empty: the replacement is added at the end'),
  replace: z.string(),
})

const textEdits = z.object({ edits: z.array(textEdit).min(1) })

/** The edits of SKILL.md in the answer of a proposer without tools, each written next to `outputs`. */
async function readTextEdits(
  answer: string,
  outputs: string,
  at: CandidatePlace,
): Promise<{ refused: RefusedProposal } | { edits: EditCandidate[] }> {
  const found = findJsonAnswer(answer, z.toJSONSchema(textEdits, { io: 'input' }))
  const parsed = 'value' in found ? textEdits.safeParse(found.value) : null
  if (!parsed?.success) {
    const problem = 'problem' in found ? found.problem : z.prettifyError(parsed?.error ?? new z.ZodError([]))
    return { refused: { rule: 'no_edits', reason: `its answer is not the JSON of edits: ${problem}` } }
  }
  const { files } = await listSkillFiles(at.parent)
  const text = await readText(path.join(at.parent, 'SKILL.md'))
  const edits = parsed.data.edits.slice(0, at.changes).map(async (edit, index): Promise<EditCandidate> => {
    const words = { id: `${at.id}.${index + 1}`, summary: edit.summary.slice(0, 500), why: edit.why.slice(0, 500) }
    const result = replaceOnce(text, edit)
    if ('reason' in result) return { ...words, status: 'refused', rule: 'no_match', reason: result.reason }
    const folder = path.join(path.dirname(outputs), 'edits', String(index + 1))
    await mkdir(folder, { recursive: true })
    await writeFile(path.join(folder, 'SKILL.md'), result.text)
    const [changed] = (await walk(folder)).files
    return { ...words, status: 'made', files: files.map((file) => (file.path === 'SKILL.md' && changed) || file) }
  })
  return { edits: await Promise.all(edits) }
}

/** The text with the edit, or why it can't be applied. */
export function replaceOnce(
  text: string,
  { search, replace }: Pick<z.infer<typeof textEdit>, 'search' | 'replace'>,
): { text: string } | { reason: string } {
  const added = replace.trim()
  if (search.trim() === '')
    return added === '' ? { reason: 'it is empty' } : { text: `${text.trimEnd()}\n\n${added}\n` }
  const [before = '', after, ...others] = text.split(search)
  const quoted = `"${search.replace(/\s+/g, ' ').slice(0, 100)}"`
  if (after === undefined) return { reason: `SKILL.md does not contain ${quoted}` }
  if (others.length > 0) return { reason: `SKILL.md contains ${quoted} ${others.length + 1} times` }
  return search === replace ? { reason: 'it replaces text by the same text' } : { text: `${before}${replace}${after}` }
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

/** Keeps what a person says of a judge's decisions: from the terminal, from a served page, from lines that a page gave away. */
import path from 'node:path'
import { z } from 'zod'
import { type AuditLine, auditLine } from '../../schemas/audit.ts'
import type { Plan } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import { checkAs, parseJson, readText } from '../base/json.ts'
import { appendAudit, readAuditLog } from '../store/audit_log.ts'
import { type Decision, decisionsOf } from './audited.ts'

/** Whether a person holds a statement to be met; null takes it back. */
export interface Said {
  met: boolean | null
  at: Date
}

/** The workspace that a benchmark's labels are kept in. */
export function auditWorkspace(folder: string): string {
  return path.dirname(path.dirname(folder))
}

/** One line in audit_log.jsonl, on disk when this resolves. */
export async function keepLabel(decision: Decision, { met, at }: Said): Promise<void> {
  const { id, folder, graded, run_id, eval_id, configuration } = decision
  const workspace = auditWorkspace(folder)
  const benchmark = path.relative(workspace, folder)
  const said = { id, at: at.toISOString(), met, judge_passed: graded.passed, text: graded.text }
  await appendAudit(workspace, { schema_version: 1, ...said, benchmark, run_id, eval_id, configuration })
}

const mark = z.strictObject({ id: z.string(), run_id: z.string(), met: z.boolean().nullable() })

/** Keeps what a served page sends. Throws UserError for what is no mark, or of a decision that is not there any more. */
export async function keepMark(folder: string, plan: Plan, body: string): Promise<void> {
  const { id, run_id, met } = checkAs(mark, parseJson(body, 'mark'), 'mark')
  const own = { ...plan, runs: plan.runs.filter((spec) => spec.run_id === run_id) }
  const decision = (await decisionsOf(folder, own)).find((one) => one.id === id)
  if (decision === undefined) throw new UserError('this decision is not there any more: its run was made anew')
  await keepLabel(decision, { met, at: new Date() })
}

interface Labelled {
  folder: string
  decisions: readonly Decision[]
  /** Whether the statement is met, by id. */
  labels: Map<string, boolean>
}

/** Keeps lines that a page gave away; what is known already, or was said otherwise later, stays as it is. Gives the number of new ones. */
export async function importLabels({ folder, decisions, labels }: Labelled, file: string): Promise<number> {
  const lines = linesOf(await readText(file), file)
  const byId = new Map(decisions.map((one) => [one.id, one]))
  const found = lines.map(({ line, where }) => {
    const decision = byId.get(line.id)
    if (decision !== undefined) return { line, decision }
    throw new UserError(
      `${where}: no such decision in ${folder}`,
      `it was said of ${line.benchmark}: name that benchmark; if its run was made anew, take the line out`,
    )
  })
  const log = readAuditLog(auditWorkspace(folder))
  const news = found.filter(({ line }) => {
    const before = log.get(line.id)
    return before === undefined
      ? line.met !== null
      : before.met !== line.met && Date.parse(before.at) < Date.parse(line.at)
  })
  for (const { line, decision } of news) {
    await keepLabel(decision, { met: line.met, at: new Date(line.at) })
    if (line.met === null) labels.delete(line.id)
    else labels.set(line.id, line.met)
  }
  return news.length
}

/** The last of an id counts. */
function linesOf(text: string, file: string): { line: AuditLine; where: string }[] {
  const last = new Map<string, { line: AuditLine; where: string }>()
  for (const [index, one] of text.split('\n').entries()) {
    if (one.trim() === '') continue
    const where = `${file}:${index + 1}`
    const line = checkAs(auditLine, parseJson(one, where), where)
    last.set(line.id, { line, where })
  }
  return [...last.values()]
}

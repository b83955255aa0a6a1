/** Stores people's labels of a judge's decisions: from the terminal, a served page, or lines exported by a page. */
import path from 'node:path'
import * as z from 'zod'
import { type AuditLine, auditLine } from '../../../schemas/audit.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { checkAs, parseJson, readText } from '../../base/json/json.ts'
import { appendAudit, readAuditLog } from '../../store/artefacts/audit_log.ts'
import { type JudgeDecision, readJudgeDecisions } from './judge_decisions.ts'

/** Whether a person says the statement passes; null removes the label. */
export interface AuditLabel {
  met: boolean | null
  at: Date
}

/** The workspace with a benchmark's labels. */
export function auditWorkspace(folder: string): string {
  return path.dirname(path.dirname(folder))
}

/** Appends a line to audit_log.jsonl; it is on disk when this resolves. */
export async function keepLabel(decision: JudgeDecision, { met, at }: AuditLabel): Promise<void> {
  const { id, folder, graded, run_id, eval_id, configuration } = decision
  const workspace = auditWorkspace(folder)
  const benchmark = path.relative(workspace, folder)
  const said = { id, at: at.toISOString(), met, judge_passed: graded.passed, text: graded.text }
  await appendAudit(workspace, { schema_version: 1, ...said, benchmark, run_id, eval_id, configuration })
}

const mark = z.strictObject({ id: z.string(), run_id: z.string(), met: z.boolean().nullable() })

/** Stores what a served page sends. Throws UserError for an invalid mark, and for a decision that does not exist. */
export async function keepMark(folder: string, plan: Plan, body: string): Promise<void> {
  const { id, run_id, met } = checkAs(mark, parseJson(body, 'mark'), 'mark')
  const own = { ...plan, runs: plan.runs.filter((spec) => spec.run_id === run_id) }
  const decision = (await readJudgeDecisions(folder, own)).find((one) => one.id === id)
  if (decision === undefined) throw new UserError('this decision no longer exists: its run was repeated')
  await keepLabel(decision, { met, at: new Date() })
}

interface LabelTarget {
  folder: string
  decisions: readonly JudgeDecision[]
  /** Whether the statement passes, by id. */
  labels: Map<string, boolean>
}

/** Imports lines exported by a page, except known ones and those with a later label. Returns the number of new ones. */
export async function importLabels({ folder, decisions, labels }: LabelTarget, file: string): Promise<number> {
  const lines = parseLabelLines(await readText(file), file)
  const byId = new Map(decisions.map((one) => [one.id, one]))
  const found = lines.map(({ line, where }) => {
    const decision = byId.get(line.id)
    if (decision !== undefined) return { line, decision }
    throw new UserError(
      `${where}: no such decision in ${folder}`,
      `pass its benchmark ${line.benchmark}, or remove the line if the run was repeated`,
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

/** The last line of an id counts. */
function parseLabelLines(text: string, file: string): { line: AuditLine; where: string }[] {
  const last = new Map<string, { line: AuditLine; where: string }>()
  for (const [index, one] of text.split('\n').entries()) {
    if (one.trim() === '') continue
    const where = `${file}:${index + 1}`
    const line = checkAs(auditLine, parseJson(one, where), where)
    last.set(line.id, { line, where })
  }
  return [...last.values()]
}

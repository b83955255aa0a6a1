/** audit: samples a judge's decisions for people to agree or disagree with, stores their labels and summarizes them. */
import { type AuditLine, auditLine } from '../../../schemas/audit.ts'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { UserError } from '../../base/errors/error.ts'
import { checkAs, parseJson, readText } from '../../base/json/json.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import {
  type AuditSample,
  auditWorkspace,
  type JudgeDecision,
  keepLabel,
  readJudgeDecisions,
  sampleDecisions,
  uniqueDecisions,
} from '../../flows/labels/judge_decisions.ts'
import { summarizeBenchmark } from '../../flows/report/summarize.ts'
import { lockBenchmark } from '../../flows/workspace/benchmark_lock.ts'
import { readAuditLog } from '../../store/artefacts/audit_log.ts'
import { readPlan } from '../../store/store.ts'

export interface AuditRequest extends AuditSample {
  /** A benchmark, absolute. */
  folder: string
}

export interface AuditSession {
  workspace: string
  folder: string
  /** Every decision of the judge; equal ones once. */
  decisions: JudgeDecision[]
  /** The decisions to show, in this order. */
  sample: JudgeDecision[]
  /** Labels so far, by id: true if the person says the statement passes. */
  labels: Map<string, boolean>
}

/** Throws UserError where a judge decided nothing. */
export async function openAudit(request: AuditRequest): Promise<AuditSession> {
  const { folder } = request
  const workspace = auditWorkspace(folder)
  const all = await readJudgeDecisions(folder, await readPlan(folder))
  if (all.length === 0) {
    throw new UserError(`${folder}: no decisions of a judge found`, 'audit a benchmark whose cases have expectations')
  }
  const decisions = uniqueDecisions(all)
  const labels = new Map(
    [...readAuditLog(workspace).values()].flatMap(({ id, met }) => (met === null ? [] : [[id, met] as const])),
  )
  return { workspace, folder, decisions, sample: sampleDecisions(decisions, request), labels }
}

/** Stores whether a person agrees with the judge; null removes the label. */
export async function labelDecision(
  audit: AuditSession,
  { id, agree }: { id: string; agree: boolean | null },
  now: Date,
): Promise<void> {
  const decision = audit.decisions.find((one) => one.id === id)
  if (decision === undefined) {
    throw new UserError(
      `--label "${id}": no such decision`,
      'list decisions with their ids: whetstone audit <workspace> --json',
    )
  }
  const { passed } = decision.graded
  const met = agree === null ? null : agree ? passed : !passed
  await keepLabel(decision, { met, at: now })
  if (met === null) audit.labels.delete(id)
  else audit.labels.set(id, met)
}

/** Rewrites the reports with the labels. */
export async function summarizeAudit(audit: AuditSession, context: FlowContext): Promise<Benchmark> {
  await using lock = await lockBenchmark(audit.folder, context)
  const { benchmark } = await summarizeBenchmark(audit.folder, await readPlan(audit.folder), lock.context)
  return benchmark
}

/** Imports lines exported by a page, except known ones and those with a later label. Returns the number of new ones. */
export async function importLabels(
  { workspace, folder, decisions, labels }: AuditSession,
  file: string,
): Promise<number> {
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
  const log = readAuditLog(workspace)
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

/** The page's audit data: the sample that `whetstone audit` draws, an id for each decision, and people's labels. */
import path from 'node:path'
import type { Benchmark, BenchmarkRun } from '../../../../schemas/benchmark.ts'
import type { Page, PageAudit, PageDrawn } from '../../../../schemas/page.ts'
import { pathExists } from '../../../base/fs/files.ts'
import type { Redactor } from '../../../base/secrets/redact.ts'
import type { ReadDecisionIds } from '../../../phases/4-report/page/runs.ts'
import { readAuditLog } from '../../../store/artefacts/audit_log.ts'
import { benchmarkPaths } from '../../../store/paths.ts'
import { readPlan } from '../../../store/store.ts'
import { sampleDecisions, uniqueDecisions, usualSample } from '../../labels/audit_sample.ts'
import { iterateDecisions, type JudgeDecision } from '../../labels/judge_decisions.ts'
import { auditWorkspace } from '../../labels/record_labels.ts'

/** A benchmark's decisions on disk, with texts as on the page. */
export interface AuditedBenchmark {
  folder: string
  decisions: ShownDecision[]
}

interface ShownDecision extends Pick<JudgeDecision, 'id' | 'run_id' | 'configuration'> {
  graded: Pick<JudgeDecision['graded'], 'text' | 'passed'>
}

interface AuditPageRequest {
  folder: string
  benchmark: Benchmark
  redactor: Redactor
}

/** null: a judge decided nothing. */
export async function readAuditedBenchmark({
  folder,
  benchmark,
  redactor,
}: AuditPageRequest): Promise<AuditedBenchmark | null> {
  const isJudged = benchmark.runs.some((run) => run.expectations.some((one) => one.decided_by === 'judge'))
  if (!isJudged || !(await pathExists(benchmarkPaths(folder).plan))) return null
  const decisions: ShownDecision[] = []
  for await (const { id, run_id, configuration, graded } of iterateDecisions(folder, await readPlan(folder))) {
    decisions.push({ id, run_id, configuration, graded: { text: redactor.text(graded.text), passed: graded.passed } })
  }
  return { folder, decisions }
}

/** The ids of a run's decisions, in the order of its expectations; null: not decided by a judge. */
export function indexDecisionIds(
  { decisions }: AuditedBenchmark,
  folderOf: (run: BenchmarkRun) => string,
): ReadDecisionIds {
  const ids = new Map(decisions.map((one) => [`${one.run_id}\n${one.graded.text}`, one.id]))
  return (run) => run.expectations.map(({ text }) => ids.get(`${folderOf(run)}\n${text}`) ?? null)
}

/** The tab's data; `put` stores the sample where space allows. */
export function buildPageAudit(
  { folder, decisions }: AuditedBenchmark,
  page: Pick<Page, 'runs' | 'cases'>,
  put: (sample: PageDrawn[]) => PageAudit['at'],
): PageAudit {
  const once = uniqueDecisions(decisions)
  const runs = new Map(page.runs.folder.map((name, index) => [name, index]))
  const sample = sampleDecisions(once, usualSample).flatMap(({ id, run_id, graded }) => {
    const run = runs.get(run_id) ?? -1
    const own = page.cases[page.runs.case[run] ?? -1]
    const statement = own?.statements.findIndex(({ text }) => text === graded.text) ?? -1
    return statement < 0 ? [] : [{ id, run, statement }]
  })
  const workspace = auditWorkspace(folder)
  const known = new Set(once.map(({ id }) => id))
  const labels = [...readAuditLog(workspace)].flatMap(([id, { met, at }]) =>
    known.has(id) ? [[id, { met, at }] as const] : [],
  )
  return {
    benchmark: path.relative(workspace, folder).split(path.sep).join('/'),
    judged: decisions.length,
    decisions: once.length,
    drawn: sample.length,
    at: put(sample),
    labels: Object.fromEntries(labels),
  }
}

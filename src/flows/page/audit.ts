/** What the page carries for an audit: the sample that `whetstone audit` draws, an id for each decision, what people said so far. */
import path from 'node:path'
import type { Benchmark, BenchmarkRun } from '../../../schemas/benchmark.ts'
import type { Page, PageAudit } from '../../../schemas/page.ts'
import { exists } from '../../base/files.ts'
import type { Redactor } from '../../base/redact.ts'
import type { IdsOf } from '../../phases/4-report/page/runs.ts'
import { readAuditLog } from '../../store/audit_log.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { readPlan } from '../../store/store.ts'
import { distinct, sampleOf, usualSample } from '../audit_sample.ts'
import { type Decision, decisionsOf } from '../audited.ts'
import { auditWorkspace } from '../label.ts'

/** A benchmark's decisions as they stand on disk, with texts as the page shows them. */
export interface Audited {
  folder: string
  decisions: Decision[]
}

const mostRuns = 2000

/** null: no judge decided anything, or the runs are too many to be read for a page; `whetstone audit` takes any number. */
export async function auditedIn(folder: string, benchmark: Benchmark, redactor: Redactor): Promise<Audited | null> {
  const isJudged = benchmark.runs.some((run) => run.expectations.some((one) => one.decided_by === 'judge'))
  if (!isJudged || benchmark.runs.length > mostRuns || !(await exists(benchmarkPaths(folder).plan))) return null
  const decisions = await decisionsOf(folder, await readPlan(folder))
  const shown = decisions.map((one) => ({ ...one, graded: { ...one.graded, text: redactor.text(one.graded.text) } }))
  return { folder, decisions: shown }
}

/** The ids of a run's decisions, in the order of its expectations; null: not a judge's. */
export function idsOf({ decisions }: Audited, folderOf: (run: BenchmarkRun) => string): IdsOf {
  const ids = new Map(decisions.map((one) => [`${one.run_id}\n${one.graded.text}`, one.id]))
  return (run) => run.expectations.map(({ text }) => ids.get(`${folderOf(run)}\n${text}`) ?? null)
}

/** The tab's own part. */
export function auditOf({ folder, decisions }: Audited, page: Pick<Page, 'runs' | 'cases'>): PageAudit {
  const once = distinct(decisions)
  const runs = new Map(page.runs.folder.map((name, index) => [name, index]))
  const sample = sampleOf(once, usualSample).flatMap(({ id, run_id, graded }) => {
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
    decisions: once.length,
    sample,
    labels: Object.fromEntries(labels),
  }
}

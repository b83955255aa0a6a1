/** What the page carries for an audit: the sample that `whetstone audit` draws, an id for each decision, what people said so far. */
import path from 'node:path'
import type { Benchmark, BenchmarkRun } from '../../../schemas/benchmark.ts'
import type { Page, PageAudit, PageDrawn } from '../../../schemas/page.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { exists } from '../../base/files.ts'
import type { Redactor } from '../../base/redact.ts'
import type { IdsOf } from '../../phases/4-report/page/runs.ts'
import { readAuditLog } from '../../store/audit_log.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { readPlan } from '../../store/store.ts'
import { distinct, sampleOf, usualSample } from '../audit_sample.ts'
import { eachVerdict, type LaidRun, type Verdict } from '../audited.ts'
import { auditWorkspace } from '../label.ts'

/** A benchmark's decisions as they stand on disk, with texts as the page shows them. */
export interface Audited {
  folder: string
  decisions: Shown[]
}

interface Shown extends Omit<Verdict, 'graded'> {
  graded: Pick<Verdict['graded'], 'text' | 'passed'>
}

/** What the process that made a benchmark knows of it and need not read. */
export interface MadeHere {
  plan: Plan
  /** By run id. */
  laid: ReadonlyMap<string, LaidRun>
}

interface Asked {
  folder: string
  benchmark: Benchmark
  redactor: Redactor
  made?: MadeHere | undefined
}

/** null: no judge decided anything. */
export async function auditedIn({ folder, benchmark, redactor, made }: Asked): Promise<Audited | null> {
  const isJudged = benchmark.runs.some((run) => run.expectations.some((one) => one.decided_by === 'judge'))
  if (!isJudged || (made === undefined && !(await exists(benchmarkPaths(folder).plan)))) return null
  const { plan, laid } = made ?? { plan: await readPlan(folder), laid: new Map() }
  const decisions: Shown[] = []
  for await (const { id, run_id, configuration, graded } of eachVerdict(folder, plan, laid)) {
    decisions.push({ id, run_id, configuration, graded: { text: redactor.text(graded.text), passed: graded.passed } })
  }
  return { folder, decisions }
}

/** The ids of a run's decisions, in the order of its expectations; null: not a judge's. */
export function idsOf({ decisions }: Audited, folderOf: (run: BenchmarkRun) => string): IdsOf {
  const ids = new Map(decisions.map((one) => [`${one.run_id}\n${one.graded.text}`, one.id]))
  return (run) => run.expectations.map(({ text }) => ids.get(`${folderOf(run)}\n${text}`) ?? null)
}

/** The tab's own part; the sample is `put` where there is room. */
export function auditOf(
  { folder, decisions }: Audited,
  page: Pick<Page, 'runs' | 'cases'>,
  put: (sample: PageDrawn[]) => PageAudit['at'],
): PageAudit {
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
    drawn: sample.length,
    at: put(sample),
    labels: Object.fromEntries(labels),
  }
}

/** explain: where the cases of a benchmark failed, with the evidence on disk. Asks no model and writes nothing. */
import path from 'node:path'
import type { Benchmark, CaseRow } from '../../../schemas/benchmark.ts'
import { type ExplainedCase, type Explanation, explanation } from '../../../schemas/explanation.ts'
import { getRedactor, mapTexts } from '../../base/secrets/redact.ts'
import { makeVisible } from '../../base/text/show_control_characters.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { type BenchmarkContents, loadBenchmark, resolveBenchmarkFolder } from '../../flows/report/read_benchmark.ts'
import { matchCases } from '../../phases/1-plan/suite/select_cases.ts'
import { findArms } from '../../phases/4-report/benchmark/arms.ts'
import { readCaseRows } from '../../phases/4-report/benchmark/case_rows.ts'
import { benchmarkHeadline } from '../../phases/4-report/text/headline.ts'
import { listBenchmarks } from '../../store/store.ts'
import { explainCase, isUneventful } from './explain_case.ts'

export interface ExplainRequest {
  /** A benchmark, a workspace (its newest benchmark), a project, or another tool's folder. */
  folder: string
  /** A case by id, key, name or glob; null: those that failed, differ or were not graded. */
  case: string | null
}

/** Without a named case. */
const mostCases = 10

/** Texts of agents and judges have their control characters visible. Throws UserError for an unknown case, or where there is no benchmark. */
export async function explain(request: ExplainRequest, context: FlowContext): Promise<Explanation> {
  const folder = await resolveBenchmarkFolder(request.folder)
  const contents = await loadBenchmark(folder, context)
  const { benchmark } = contents
  const rows = readCaseRows(benchmark)
  const isEventful = (row: CaseRow) => !isUneventful(row, benchmark)
  const eventful = rows.filter(isEventful)
  const chosen = request.case === null ? eventful : matchCases(rows, request.case, '--case')
  const shown = sortWorstFirst(chosen, benchmark).slice(0, request.case === null ? mostCases : undefined)
  const cases: ExplainedCase[] = []
  for (const row of shown) cases.push(await explainCase(row, contents))
  const redactor = getRedactor(context.env)
  const clean = (text: string) => makeVisible(redactor.text(text))
  const { skill_name, timestamp } = benchmark.metadata
  return explanation.parse({
    schema_version: 1,
    benchmark: { folder, skill_name, timestamp, ...findArms(benchmark), complete: benchmark.complete ?? false },
    verdict: clean(benchmarkHeadline(benchmark)),
    cases: mapTexts(cases, clean),
    left_out: chosen.length - shown.length,
    passing: rows.length - eventful.length,
    next: await listNextCommands(contents, cases, chosen.length > shown.length),
  })
}

/** Cases with failures first, by the candidate's rate; then those without one; last those in which only the baseline failed. */
function sortWorstFirst(rows: readonly CaseRow[], benchmark: Benchmark): CaseRow[] {
  const { candidate } = findArms(benchmark)
  const rate = ({ arms }: CaseRow) => arms[candidate ?? '']?.pass_rate?.mean ?? null
  const group = (row: CaseRow) => (rate(row) === null ? 1 : rate(row) === 1 ? 2 : 0)
  return rows.toSorted(
    (a, b) =>
      group(a) - group(b) ||
      (rate(a) ?? 0) - (rate(b) ?? 0) ||
      (a.delta ?? 0) - (b.delta ?? 0) ||
      a.eval_id - b.eval_id,
  )
}

async function listNextCommands(
  { folder, plan }: BenchmarkContents,
  cases: readonly ExplainedCase[],
  isCut: boolean,
): Promise<Explanation['next']> {
  const shown = path.relative(process.cwd(), folder) || '.'
  const isUndecided = plan !== null && cases.some(({ judge_errors }) => judge_errors.length > 0)
  const earlier = plan === null ? null : await findEarlierBenchmark(folder)
  const whetstone = (why: string, ...argv: string[]) => ({ argv: ['whetstone', ...argv], why })
  return [
    whetstone('read the transcripts and outputs', 'view', shown),
    ...(isCut ? [whetstone('see another case', 'explain', shown, '--case', '<id>')] : []),
    ...(isUndecided ? [whetstone('grade again what the judge left undecided', 'grade', shown)] : []),
    ...(earlier === null
      ? []
      : [
          whetstone(
            'see what changed since the benchmark before',
            'diff',
            path.relative(process.cwd(), earlier),
            shown,
          ),
        ]),
  ]
}

/** null: the folder is the oldest of its workspace, or in none. */
async function findEarlierBenchmark(folder: string): Promise<string | null> {
  const all = await listBenchmarks(path.dirname(path.dirname(folder)))
  const at = all.indexOf(folder)
  return at < 0 ? null : (all[at + 1] ?? null)
}

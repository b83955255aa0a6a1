/** Gathers what is known of one case: its rates, what failed in which runs, and the evidence. */
import path from 'node:path'
import type { Benchmark, BenchmarkRun, CaseRow, ExcludedRun } from '../../../schemas/benchmark.ts'
import type { StatisticsExpectation } from '../../../schemas/benchmark_statistics.ts'
import type { ExplainedCase, ExplainedExpectation } from '../../../schemas/explanation.ts'
import type { BenchmarkContents } from '../../flows/report/read_benchmark.ts'
import { armNames, findArms } from '../../phases/4-report/benchmark/arms.ts'
import { runPassRate } from '../../phases/4-report/benchmark/run_pass_rate.ts'
import { listUnrunnableCases } from '../../phases/4-report/page/cases.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { runFolderKey } from '../../store/run_folders.ts'
import { cutQuote, readRunEnd } from './read_run_end.ts'

const mostRuns = 6
const promptLength = 400

/** Whether every planned run of the case is graded, decided and passed. */
export function isUneventful({ eval_id }: Pick<CaseRow, 'eval_id'>, benchmark: Benchmark): boolean {
  const own = benchmark.runs.filter((run) => run.eval_id === eval_id)
  const hasExcluded = (benchmark.excluded_runs ?? []).some(
    (run) => run.eval_id === eval_id && run.reason !== 'ungraded',
  )
  const isStuck = listUnrunnableCases(benchmark.metadata).some(([id]) => id === eval_id)
  return !isStuck && !hasExcluded && own.every((run) => !isFailed(run) && run.judge_errors === undefined)
}

function isFailed(run: BenchmarkRun): boolean {
  return runPassRate(run) < 1 || run.expectations.some(({ passed, diagnostic }) => !passed && diagnostic !== true)
}

export async function explainCase(row: CaseRow, contents: BenchmarkContents): Promise<ExplainedCase> {
  const { benchmark, prompts } = contents
  const { eval_id, eval_key, eval_name } = row
  const names = armNames(findArms(benchmark))
  const isOwn = (run: { eval_id: number }) => run.eval_id === eval_id
  const order = (run: { configuration: string; run_number: number }) => names.indexOf(run.configuration)
  const runs = benchmark.runs.filter(isOwn).toSorted((a, b) => order(a) - order(b) || a.run_number - b.run_number)
  const excluded = (benchmark.excluded_runs ?? []).filter(isOwn)
  const failed = runs.filter(isFailed)
  const known = (benchmark.statistics?.expectations ?? []).filter(isOwn)
  const tested = benchmark.statistics?.cases.find(isOwn)
  const expectations = explainExpectations(runs, names, known)
  const { prompt = '', metadata = null } = prompts.cases.find(isOwn) ?? {}
  const explained: Omit<ExplainedCase, 'notes'> = {
    ...{ eval_id, eval_key, eval_name },
    prompt: prompt === '' ? null : cutQuote(prompt, promptLength),
    metadata,
    cannot_run: new Map(listUnrunnableCases(benchmark.metadata)).get(eval_id) ?? null,
    rates: names.map((configuration) => {
      const arm = row.arms[configuration]
      const { runs: graded = 0, all_passed = 0 } = arm ?? {}
      return { configuration, runs: graded, pass_rate: arm?.pass_rate?.mean ?? null, all_passed }
    }),
    difference:
      row.delta === null ? null : { mean: row.delta, ci_low: tested?.ci_low ?? null, ci_high: tested?.ci_high ?? null },
    flaky: findFlakiness(runs, names),
    expectations,
    runs: await Promise.all(failed.slice(0, mostRuns).map((run) => explainRun(run, contents))),
    runs_left_out: Math.max(0, failed.length - mostRuns),
    judge_errors: [...runs, ...excluded].flatMap(({ configuration, run_number, judge_errors = [] }) =>
      judge_errors.map(({ text, reason }) => ({ configuration, run_number, text, reason })),
    ),
    not_counted: excluded.flatMap((run) => explainExcluded(run, contents)),
  }
  return { ...explained, notes: listCaution(explained, failed) }
}

function explainExcluded(run: ExcludedRun, contents: BenchmarkContents): ExplainedCase['not_counted'] {
  if (run.reason === 'judge_error') return []
  const { configuration, run_number, reason, kind, message } = run
  return [{ configuration, run_number, folder: runFolder(run, contents), reason, kind, message: cutQuote(message) }]
}

async function explainRun(run: BenchmarkRun, contents: BenchmarkContents): Promise<ExplainedCase['runs'][number]> {
  const { configuration, run_number, expectations, result } = run
  const folder = runFolder(run, contents)
  return {
    ...{ configuration, run_number, folder },
    pass_rate: runPassRate(run),
    failed: expectations.filter(({ passed }) => !passed).length,
    ...(await readRunEnd(folder === null ? null : path.join(contents.folder, folder), folder ?? '')),
    skill_read: result.skill_read ?? null,
    notes: run.notes,
  }
}

function runFolder(run: BenchmarkRun | ExcludedRun, { folder, folders }: BenchmarkContents): string | null {
  const own = folders.get(runFolderKey(run))
  return own === undefined ? null : path.relative(folder, own).split(path.sep).join('/')
}

/** Those that failed at least once; first the ones that failed in most runs of the candidate, then of the baseline. */
function explainExpectations(
  runs: readonly BenchmarkRun[],
  names: readonly string[],
  known: readonly StatisticsExpectation[],
): ExplainedExpectation[] {
  const texts = new Set(runs.flatMap(({ expectations }) => expectations.map(({ text }) => text)))
  const all = [...texts].map((text) => explainExpectation(text, { runs, names, known }))
  const share = ({ results }: ExplainedExpectation, name: string | undefined) => {
    const own = results.find(({ configuration }) => configuration === name)
    return own === undefined ? 0 : own.failed / own.decided
  }
  const [candidate, baseline] = names
  return all
    .filter(({ results }) => results.some(({ failed }) => failed > 0))
    .sort((a, b) => share(b, candidate) - share(a, candidate) || share(b, baseline) - share(a, baseline))
}

interface CaseRuns {
  runs: readonly BenchmarkRun[]
  names: readonly string[]
  known: readonly StatisticsExpectation[]
}

function explainExpectation(text: string, { runs, names, known }: CaseRuns): ExplainedExpectation {
  const fact = known.find((one) => one.text === text)
  const verdicts = runs.flatMap((run) =>
    run.expectations.filter((one) => one.text === text).map((graded) => ({ run, graded })),
  )
  const failures = verdicts.filter(({ graded }) => !graded.passed)
  const results = names.flatMap((configuration) => {
    const isOwn = ({ run }: { run: BenchmarkRun }) => run.configuration === configuration
    const decided = verdicts.filter(isOwn).length
    return decided === 0 ? [] : [{ configuration, failed: failures.filter(isOwn).length, decided }]
  })
  const decidedBy = verdicts.flatMap(({ graded }) => graded.decided_by ?? []).find((by) => by !== 'timeout')
  const indicator = fact?.indicator ?? verdicts.find(({ graded }) => graded.indicator === true)
  const isDiagnostic = verdicts.some(({ graded }) => graded.diagnostic === true)
  return {
    text,
    decided_by: decidedBy ?? null,
    in_rate: (indicator ?? null) === null && !isDiagnostic,
    results,
    flaky: results.some(({ failed, decided }) => failed > 0 && failed < decided),
    p_adjusted: fact?.p_adjusted ?? null,
    evidence: results.flatMap(({ configuration }) => {
      const first = failures.find(({ run }) => run.configuration === configuration)
      if (first === undefined) return []
      const { evidence, evidence_verified, evidence_at } = first.graded
      const at = { configuration, run_number: first.run.run_number, quote: cutQuote(evidence) }
      return [{ ...at, ...(evidence_verified && { evidence_verified }), ...(evidence_at && { evidence_at }) }]
    }),
  }
}

/** Whether some runs of a configuration pass and others fail; null: no configuration has two runs. */
function findFlakiness(runs: readonly BenchmarkRun[], names: readonly string[]): boolean | null {
  const groups = names.map((name) => runs.filter(({ configuration }) => configuration === name))
  const repeated = groups.filter((group) => group.length > 1)
  return repeated.length === 0 ? null : repeated.some((group) => new Set(group.map(isFailed)).size > 1)
}

/** What the numbers of the case do not show. Names no cause: none was tested. */
function listCaution(
  { rates, flaky, difference, not_counted, judge_errors, expectations }: Omit<ExplainedCase, 'notes'>,
  failed: readonly BenchmarkRun[],
): string[] {
  const [candidate] = rates
  const most = Math.max(0, ...rates.map(({ runs }) => runs))
  const own = failed.filter(({ configuration }) => configuration === candidate?.configuration)
  const unread = own.filter(({ result }) => result.skill_read === false).length
  const timeouts = failed.filter(({ result }) => result.timed_out === true).length
  const broken = not_counted.filter(({ reason }) => reason === 'failed').length
  const quotes = expectations.flatMap(({ evidence }) => evidence)
  const isLost = quotes.some(({ evidence_verified }) => evidence_verified === 'absent')
  return [
    ...(most === 1 ? ['One run per configuration: this may be chance. Repeat it with --runs 3.'] : []),
    ...(flaky === true ? ['Flaky: runs of the same configuration end differently.'] : []),
    ...(includesZero(difference) ? ['No evidence of a difference in this case: the interval includes 0.'] : []),
    ...(unread === 0
      ? []
      : [`The skill was not read in ${formatPlural(unread, 'failed run')} of ${candidate?.configuration}.`]),
    ...(timeouts === 0
      ? []
      : [`Out of time: ${formatPlural(timeouts, 'run')}. All expectations of such a run count as failed.`]),
    ...(isLost ? ['A quote of the judge was not found in the run: check that verdict.'] : []),
    ...(broken === 0 ? [] : [`Failures of infrastructure: ${formatPlural(broken, 'run')}, in no rate.`]),
    ...(judge_errors.length === 0 ? [] : ['The judge left verdicts open. They do not count as failures.']),
  ]
}

function includesZero(difference: ExplainedCase['difference']): boolean {
  const { ci_low = null, ci_high = null } = difference ?? {}
  return ci_low !== null && ci_high !== null && ci_low <= 0 && ci_high >= 0
}

/** A benchmark in the few words that fit into an agent's context: the verdict first, then numbers, then where to read more. */
import path from 'node:path'
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import { benchmarkHeadline } from '../../../phases/4-report/text/headline.ts'
import type { WorkEnd } from '../jobs.ts'

const mostCases = 30

export function summarizeBenchmarkResult(
  benchmark: Benchmark,
  folder: string,
  cwd: string,
): Extract<WorkEnd, { sentence: string }> {
  const { statistics, counts, cost, cases = [], notes, metadata } = benchmark
  const own = statistics?.scopes?.these_cases
  const difference = own?.difference
  const stopped = metadata.stopped?.reason
  const missing = statistics?.missing_grades
  const isComplete = benchmark.complete !== false && !missing
  const sentence = own?.sentence ?? 'No verdict: the benchmark has no statistics.'
  const why = stopped === undefined ? '' : `: ${stopped}`
  const open = missing
    ? `${benchmarkHeadline(benchmark)}${stopped === undefined ? '' : ` The benchmark was ${stopped}.`}`
    : `Incomplete${why}. So far: ${sentence}`
  return {
    status: isComplete ? 'done' : 'incomplete',
    sentence: isComplete ? sentence : open,
    result: {
      skill: metadata.skill_name,
      verdict: own?.verdict ?? null,
      difference: difference && {
        ...{ mean: difference.mean, ci_low: difference.ci_low, ci_high: difference.ci_high },
        p_value: difference.p_value,
      },
      ...(missing && { missing_grades: missing }),
      counts: counts && { planned: counts.planned, used: counts.used, excluded: counts.excluded },
      cost_usd: cost && { agent: cost.agent_usd, judge: cost.judge_usd },
      cases: cases.slice(0, mostCases).map(({ eval_id, eval_name, arms, delta }) => ({
        ...{ eval_id, eval_name, delta },
        pass_rates: Object.fromEntries(
          Object.entries(arms).map(([arm, { pass_rate }]) => [arm, pass_rate?.mean ?? null]),
        ),
      })),
      ...(cases.length > mostCases && { cases_left_out: cases.length - mostCases }),
      notes: notes.slice(0, 6),
      ...benchmarkUris(folder, cwd),
    },
  }
}

/** Where a benchmark's files are, for the file tools of an agent and as resources. */
export function benchmarkUris(folder: string, cwd: string) {
  return { folder: path.relative(cwd, folder) || '.', resource: `${benchmarkUri(folder, cwd)}/benchmark.md` }
}

/** The id of a benchmark in URIs is its path, relative to the working folder of the server and encoded. */
export function benchmarkUri(folder: string, cwd: string): string {
  return `whetstone://benchmarks/${encodeURIComponent(path.relative(cwd, folder) || '.')}`
}

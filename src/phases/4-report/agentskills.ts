/** A benchmark in the dialect of the agentskills.io guide: one folder a case and configuration, numeric delta, flat feedback. */
import type { ArmSummary, Benchmark, BenchmarkRun } from '../../../schemas/benchmark.ts'
import { armSummary, armsOf } from './arms.ts'
import { round } from './stats/round.ts'

export interface AgentskillsFiles {
  /** JSON values by path. */
  files: Map<string, unknown>
  /** Where each run goes; the same runs as in the benchmark. */
  runs: { run: BenchmarkRun; folder: string; caseFolder: string }[]
}

/**
 * Paths are relative, with /. The guide knows no runs: a single one lies in its configuration's folder, of several each in
 * run-<n> below. What is unknown is left out.
 */
export function toAgentskills(benchmark: Benchmark): AgentskillsFiles {
  const folders = caseFolders(benchmark)
  const caseFolderOf = (run: BenchmarkRun) => folders.get(run.eval_id) ?? `eval-${run.eval_id}`
  const armFolder = (run: BenchmarkRun) => `${caseFolderOf(run)}/${folderName(run.configuration) || 'unnamed'}`
  const counts = new Map<string, number>()
  for (const arm of benchmark.runs.map(armFolder)) counts.set(arm, (counts.get(arm) ?? 0) + 1)
  const runs = benchmark.runs.map((run) => {
    const caseFolder = caseFolderOf(run)
    const arm = armFolder(run)
    const several = (counts.get(arm) ?? 0) > 1
    return { run, caseFolder, folder: several ? `${arm}/run-${run.run_number}` : arm }
  })
  const files = new Map<string, unknown>([['benchmark.json', { run_summary: summaryOf(benchmark) }]])
  for (const { run, folder } of runs) {
    files.set(`${folder}/grading.json`, gradingOf(run))
    const timing = timingOf(run)
    if (Object.keys(timing).length > 0) files.set(`${folder}/timing.json`, timing)
  }
  return { files, runs }
}

/** `eval-<name>` by eval_id; a name that two cases share gets the id. */
function caseFolders({ runs }: Benchmark): Map<number, string> {
  const names = new Map(runs.map((run) => [run.eval_id, folderName(run.eval_name).replace(/^eval-/, '')]))
  const all = [...names.values()]
  return new Map(
    [...names].map(([id, name]) => {
      const shared = name === '' || all.filter((other) => other === name).length > 1
      return [id, `eval-${shared ? [id, name].filter((part) => part !== '').join('-') : name}`]
    }),
  )
}

/** Letters, digits, _ and - only, so that no name leads out of the folder. */
function folderName(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^\p{L}\p{N}_]+/gu, '-')
  return [...plain]
    .slice(0, 60)
    .join('')
    .replaceAll(/^-+|-+$/g, '')
}

/** Without a list where only counts are known, without counts where only a rate is: an empty list or a total of 0 would say otherwise. */
function gradingOf({ expectations, result: { passed, failed, total, pass_rate } }: BenchmarkRun) {
  const summary = total === 0 ? { pass_rate } : { passed, failed, total, pass_rate }
  if (expectations.length === 0) return { summary }
  return {
    assertion_results: expectations.map(({ text, passed: met, evidence }) => ({ text, passed: met, evidence })),
    summary,
  }
}

function timingOf({ result: { tokens, time_seconds } }: BenchmarkRun) {
  return {
    ...(tokens === undefined ? {} : { total_tokens: tokens }),
    ...(time_seconds === undefined ? {} : { duration_ms: Math.round(time_seconds * 1000) }),
  }
}

const metrics = ['pass_rate', 'time_seconds', 'tokens'] as const

function summaryOf(benchmark: Benchmark): Record<string, unknown> {
  const { candidate, baseline } = armsOf(benchmark)
  const arms = [candidate, baseline].flatMap((name) => {
    const arm = armSummary(benchmark, name)
    return name === null || arm === null ? [] : [{ name, arm }]
  })
  const [own, other] = arms
  return {
    ...Object.fromEntries(arms.map(({ name, arm }) => [name, armOf(arm)])),
    ...(own && other ? { delta: deltaOf(own.arm, other.arm) } : {}),
  }
}

function armOf(arm: ArmSummary): Record<string, unknown> {
  const known = metrics.flatMap((metric) => {
    const stats = arm[metric]
    return stats === undefined ? [] : [[metric, { mean: stats.mean, stddev: stats.stddev }] as const]
  })
  return Object.fromEntries(known)
}

/** Candidate minus baseline, as numbers. */
function deltaOf(own: ArmSummary, other: ArmSummary): Record<string, number> {
  const known = metrics.flatMap((metric) => {
    const [a, b] = [own[metric], other[metric]]
    return a === undefined || b === undefined ? [] : [[metric, round(a.mean - b.mean, 4)] as const]
  })
  return Object.fromEntries(known)
}

/** A benchmark in the dialect of the agentskills.io guide: one folder per case and configuration, numeric delta, flat feedback. */
import type { ArmSummary, Benchmark, BenchmarkRun } from '../../../../schemas/benchmark.ts'
import { findArmSummary, findArms } from '../benchmark/arms.ts'
import { round } from '../stats/numbers/round.ts'

export interface AgentskillsFiles {
  /** JSON values by path. */
  files: Map<string, unknown>
  /** The folder of each run; the same runs as in the benchmark. */
  runs: { run: BenchmarkRun; folder: string; caseFolder: string }[]
}

/**
 * Paths are relative, with /. The guide has no runs: a single run is in its configuration's folder, several are in run-<n> folders below
 * it. Unknown values are omitted.
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
  const files = new Map<string, unknown>([['benchmark.json', { run_summary: toGuideSummary(benchmark) }]])
  for (const { run, folder } of runs) {
    files.set(`${folder}/grading.json`, toGuideGrading(run))
    const timing = toGuideTiming(run)
    if (Object.keys(timing).length > 0) files.set(`${folder}/timing.json`, timing)
  }
  return { files, runs }
}

/** `eval-<name>` by eval_id; a name shared by two cases gets the id. */
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

/** No list if only counts are known, no counts if only a rate is: an empty list or a total of 0 would be false. */
function toGuideGrading({ expectations, result: { passed, failed, total, pass_rate } }: BenchmarkRun) {
  const summary = total === 0 ? { pass_rate } : { passed, failed, total, pass_rate }
  if (expectations.length === 0) return { summary }
  return {
    assertion_results: expectations.map(({ text, passed: met, evidence, weight, score, diagnostic }) => ({
      text,
      passed: met,
      evidence,
      ...(weight !== undefined && { weight }),
      ...(score !== undefined && { score }),
      ...(diagnostic && { diagnostic }),
    })),
    summary,
  }
}

function toGuideTiming({ result: { tokens, time_seconds } }: BenchmarkRun) {
  return {
    ...(tokens === undefined ? {} : { total_tokens: tokens }),
    ...(time_seconds === undefined ? {} : { duration_ms: Math.round(time_seconds * 1000) }),
  }
}

const metrics = ['pass_rate', 'time_seconds', 'tokens'] as const

function toGuideSummary(benchmark: Benchmark): Record<string, unknown> {
  const { candidate, baseline } = findArms(benchmark)
  const arms = [candidate, baseline].flatMap((name) => {
    const arm = findArmSummary(benchmark, name)
    return name === null || arm === null ? [] : [{ name, arm }]
  })
  const [own, other] = arms
  return {
    ...Object.fromEntries(arms.map(({ name, arm }) => [name, toGuideArm(arm)])),
    ...(own && other ? { delta: toGuideDelta(own.arm, other.arm) } : {}),
  }
}

function toGuideArm(arm: ArmSummary): Record<string, unknown> {
  const known = metrics.flatMap((metric) => {
    const stats = arm[metric]
    return stats === undefined ? [] : [[metric, { mean: stats.mean, stddev: stats.stddev }] as const]
  })
  return Object.fromEntries(known)
}

/** Candidate minus baseline, as numbers. */
function toGuideDelta(own: ArmSummary, other: ArmSummary): Record<string, number> {
  const known = metrics.flatMap((metric) => {
    const [a, b] = [own[metric], other[metric]]
    return a === undefined || b === undefined ? [] : [[metric, round(a.mean - b.mean, 4)] as const]
  })
  return Object.fromEntries(known)
}

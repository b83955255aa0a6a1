/** diff: reads two benchmarks, ours or another tool's, and compares an arm of both. Writes nothing. */
import path from 'node:path'
import { type Benchmark, benchmark as benchmarkSchema } from '../../schemas/benchmark.ts'
import type { BenchmarkDiff } from '../../schemas/benchmark_diff.ts'
import { UserError } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { readJson } from '../base/json.ts'
import { redactorFor } from '../base/redact.ts'
import { type ArmAsked, diffBenchmarks, type Side } from '../phases/4-report/diff.ts'
import { benchmarkPaths } from '../store/paths.ts'
import { listBenchmarks, readPlan } from '../store/store.ts'
import type { FlowContext } from './context.ts'

export interface DiffRequest {
  /** A benchmark folder, a workspace (its newest benchmark) or a benchmark.json. */
  before: string
  after: string
  arm: ArmAsked
}

/** Throws UserError for what is no benchmark, or has no such arm. */
export async function diff({ before, after, arm }: DiffRequest, env: FlowContext['env']): Promise<BenchmarkDiff> {
  const [old, now] = [await sideOf(before), await sideOf(after)]
  const found = diffBenchmarks(old, now, arm)
  const made = { ...found, plan: redactorFor(env).value(found.plan) } // a command line may hold a credential
  for (const { name, configuration } of [made.before, made.after]) {
    if (configuration === null) throw new UserError(`${name}: has no ${arm} arm`, 'choose the other with --arm')
  }
  return made
}

async function sideOf(name: string): Promise<Side> {
  const given = path.resolve(name)
  if (!(await exists(given))) throw new UserError(`${name}: no such file or folder`)
  if (given.endsWith('.json'))
    return { name, benchmark: await benchmarkIn(given), plan: await planIn(path.dirname(given)) }
  const [newest] = await listBenchmarks(given)
  const folder = newest ?? given
  const file = benchmarkPaths(folder).benchmark
  if (!(await exists(file))) {
    const isPackage = await exists(path.join(given, 'evals'))
    const fix = isPackage
      ? `diff compares benchmarks, or what whetstone eval ${name} --report leaves in evals/reports`
      : `whetstone aggregate ${name} makes one from the gradings`
    throw new UserError(`${name}: no benchmark.json in it`, fix)
  }
  return {
    name: newest === undefined ? name : path.relative(process.cwd(), newest) || newest,
    benchmark: await benchmarkIn(file),
    plan: await planIn(folder),
  }
}

async function benchmarkIn(file: string): Promise<Benchmark> {
  try {
    return await readJson(benchmarkSchema, file)
  } catch (error) {
    if (!(error instanceof UserError) || error.fix !== null) throw error
    throw new UserError(error.message, 'give a benchmark.json as bench or aggregate writes it')
  }
}

async function planIn(folder: string) {
  return (await exists(benchmarkPaths(folder).plan)) ? readPlan(folder) : null
}

/** diff: compares a configuration of two benchmarks, from Whetstone or another tool, also as a tool of the MCP server. Writes nothing. */
import path from 'node:path'
import * as z from 'zod'
import { type Benchmark, benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import type { BenchmarkDiff } from '../../../schemas/benchmark_diff.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { missingPathError } from '../../base/fs/nearest_path.ts'
import { readJson } from '../../base/json/json.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { type McpTool, mcpPlace } from '../../flows/mcp_tools.ts'
import { loadBenchmark, resolveBenchmarkFolder } from '../../flows/report/read_benchmark.ts'
import { type DiffArm, type DiffSide, diffBenchmarks } from '../../phases/4-report/diff/diff.ts'
import { diffHeadline, diffSections } from '../../phases/4-report/diff/diff_text.ts'
import { markdownSections } from '../../phases/4-report/text/markdown.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { readPlan } from '../../store/store.ts'

interface DiffRequest {
  /** A benchmark folder, a workspace (its newest benchmark) or a benchmark.json. */
  before: string
  after: string
  arm: DiffArm
}

/** Throws UserError for anything other than a benchmark, and for a missing configuration. */
export async function diff({ before, after, arm }: DiffRequest, context: FlowContext): Promise<BenchmarkDiff> {
  const [old, now] = [await readDiffSide(before, context), await readDiffSide(after, context)]
  const found = diffBenchmarks(old, now, arm)
  const made = { ...found, plan: getRedactor(context.env).value(found.plan) } // a command line may contain a credential
  for (const { name, configuration } of [made.before, made.after]) {
    if (configuration === null)
      throw new UserError(`${name}: no configuration "${arm}"`, 'choose the other one with --arm')
  }
  return made
}

async function readDiffSide(name: string, context: FlowContext): Promise<DiffSide> {
  const given = path.resolve(name)
  if (!(await pathExists(given)))
    throw missingPathError(name, 'file or folder', 'pass a benchmark folder or a benchmark.json')
  const file = given.endsWith('.json') ? given : benchmarkPaths(await resolveBenchmarkFolder(given)).benchmark
  const folder = path.dirname(file)
  const shown = folder === given || file === given ? name : path.relative(process.cwd(), folder) || folder
  const benchmark = await readWrittenBenchmark(file, context)
  return { name: shown, benchmark, plan: await readPlanIfPresent(folder) }
}

/**
 * The benchmark of a benchmark.json, which need not exist: one of another tool, or without plan.json next to it, is read from its gradings as
 * `aggregate` reads it, where there are some. Throws UserError.
 */
export async function readWrittenBenchmark(file: string, context: FlowContext): Promise<Benchmark> {
  const folder = path.dirname(file)
  const read = () =>
    readJson(benchmarkSchema, file).catch((error: unknown) => {
      if (!(error instanceof UserError) || error.fix !== null) throw error
      throw new UserError(error.message, 'pass a benchmark.json written by bench or aggregate')
    })
  if (path.basename(file) !== path.basename(benchmarkPaths(folder).benchmark)) return await read()
  if (await pathExists(benchmarkPaths(folder).plan)) return await read()
  const loaded = loadBenchmark(folder, context).then(({ benchmark }) => benchmark)
  return await loaded.catch(async (error: unknown) => {
    if (await pathExists(file)) return await read()
    throw error
  })
}

async function readPlanIfPresent(folder: string) {
  return (await pathExists(benchmarkPaths(folder).plan)) ? readPlan(folder) : null
}

const mostChanges = 20

const input = z.strictObject({
  before: mcpPlace.describe('benchmark folder'),
  after: mcpPlace.describe('benchmark folder'),
  arm: z.enum(['candidate', 'baseline']).default('candidate'),
})

export const diffTool: McpTool = {
  title: 'Compare two benchmarks',
  description: 'Show what changed between two benchmarks, and how certain that is. Asks no model.',
  input,
  output: { cases: z.array(z.looseObject({ name: z.string(), change: z.string() })) },
  async call(given, places, context) {
    const { before, after, arm } = input.parse(given)
    const [old, now] = [await places.resolveBenchmark(before), await places.resolveBenchmark(after)]
    const found = await diff({ before: old, after: now, arm }, context)
    const changed = found.cases.filter(({ change }) => change !== 'same')
    return {
      sentence: diffHeadline(found),
      verdict: found.scopes?.these_cases.verdict ?? null,
      plan: found.plan.slice(0, mostChanges),
      cases: changed.slice(0, mostChanges),
      turned: found.turned.slice(0, mostChanges),
    }
  },
}

/** The whole diff as Markdown; text from outside is escaped. */
export function diffMarkdown(diff: BenchmarkDiff): string {
  const names = `${diff.before.name} → ${diff.after.name}`
  return markdownSections(names, { notes: [diffHeadline(diff)], sections: diffSections(diff) })
}

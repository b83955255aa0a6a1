/** Results for an agent's context: a benchmark or session in few words, the verdict first; values and errors as results of tools. */
import path from 'node:path'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { type Benchmark, benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { history as historySchema } from '../../../schemas/history.ts'
import { errorMessage, IncompleteError, UserError } from '../../base/errors/error.ts'
import { readJson } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { getRedactor, mapTexts } from '../../base/secrets/redact.ts'
import { makeVisible } from '../../base/text/show_control_characters.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import type { ImproveResult } from '../../flows/improve/apply.ts'
import type { ToolValue } from '../../flows/mcp_tools.ts'
import { benchmarkHeadline } from '../../phases/4-report/text/headline.ts'
import { benchmarkPaths, improvePaths } from '../../store/paths.ts'

/** How work ended that did not fail. */
export interface StoredResult {
  status: 'done' | 'incomplete'
  sentence: string
  result: Record<string, unknown>
}

const mostCases = 30

export function summarizeBenchmarkResult(benchmark: Benchmark, folder: string, cwd: string): StoredResult {
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

/** `place`: a benchmark, or the workspace of a session, absolute. Throws UserError. */
export async function readStoredResult(
  place: string,
  kind: 'benchmark' | 'session',
  cwd: string,
): Promise<StoredResult> {
  if (kind === 'session') {
    const history = await readJson(historySchema, improvePaths(place).history)
    return describeSession({ history, workspace: place, best: improvePaths(place).version(history.current_best) })
  }
  const { benchmark } = benchmarkPaths(place)
  return summarizeBenchmarkResult(await readJson(benchmarkSchema, benchmark), place, cwd)
}

export function describeSession({ history, best, workspace }: ImproveResult): StoredResult {
  const { certification, stopped, current_best } = history
  const isOver = history.ended_at !== undefined
  return {
    status: isOver ? 'done' : 'incomplete',
    sentence: certification?.sentence ?? stopped?.message ?? 'No better version was found.',
    result: { best_version: current_best, best_folder: best, workspace, certified: certification?.result ?? null },
  }
}

/** The sentence, then the rest as JSON; the same as structured content. */
export function toToolResult(value: ToolValue, env: FlowContext['env']): CallToolResult {
  const { sentence, ...rest } = mapTexts(getRedactor(env).value(value), makeVisible)
  return {
    content: [{ type: 'text', text: `${sentence}\n${jsonText(rest)}` }],
    structuredContent: { sentence, ...rest },
  }
}

/** A mistake that the agent or the user can fix, in two lines; anything else is reported on standard error too. */
export function toToolError(error: unknown, env: FlowContext['env']): CallToolResult {
  const isExpected = error instanceof UserError || error instanceof IncompleteError
  const fix = isExpected && error.fix !== null ? `\nhint: ${error.fix}` : ''
  if (!isExpected) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  const text = getRedactor(env).value(`error: ${errorMessage(error)}${fix}`)
  return { content: [{ type: 'text', text: makeVisible(text).slice(0, 4000) }], isError: true }
}

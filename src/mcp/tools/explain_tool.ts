/** The tool explain: why cases failed, with the evidence. */
import * as z from 'zod'
import type { ExplainedCase } from '../../../schemas/explanation.ts'
import { explain } from '../../flows/explain/explain.ts'
import { name, place } from '../arguments.ts'
import { benchmarkUri } from '../results/benchmark_result.ts'
import { resolveBenchmark } from '../results/read_result.ts'
import type { McpSession } from '../session.ts'
import { planningContext } from '../work/planned_work.ts'
import { addTool, reads } from './add_tool.ts'

/** What fits into an agent's context. */
const most = { cases: 4, expectations: 8, evidence: 2, runs: 3 }

export function addExplainTool(session: McpSession): void {
  const { roots, env, cwd } = session
  addTool(session, {
    name: 'explain',
    title: 'Explain failures',
    description:
      'Show why cases of a benchmark failed: which expectations, in how many runs, with quotes, and where to read the transcripts. Asks no model.',
    input: z.strictObject({
      benchmark: place.describe('benchmark folder or workspace (its newest benchmark)'),
      case: name.optional().describe('one case: id, name or glob; default: the worst'),
    }),
    output: { cases: z.array(z.looseObject({ eval_id: z.number(), eval_name: z.string() })) },
    annotations: reads,
    async call(given) {
      const folder = await resolveBenchmark(given.benchmark, roots)
      const found = await explain({ folder, case: given.case ?? null }, planningContext(env, undefined))
      const uri = benchmarkUri(folder, cwd)
      return {
        sentence: found.verdict,
        cases: found.cases.slice(0, most.cases).map((one) => shorten(one, uri)),
        left_out: found.left_out + Math.max(0, found.cases.length - most.cases),
        passing: found.passing,
        resource: `${uri}/benchmark.md`,
      }
    },
  })
}

function shorten({ eval_key: _, ...one }: ExplainedCase, uri: string) {
  return {
    ...one,
    expectations: one.expectations.slice(0, most.expectations).map((each) => {
      return { ...each, evidence: each.evidence.slice(0, most.evidence) }
    }),
    runs: one.runs.slice(0, most.runs).map(({ transcript, ...run }) => {
      return { ...run, transcript: transcript === null ? null : `${uri}/${transcript}` }
    }),
    runs_left_out: one.runs_left_out + Math.max(0, one.runs.length - most.runs),
  }
}

/** The tool `explain` of the MCP server: as much of an explanation as fits into an agent's context. */
import * as z from 'zod'
import type { ExplainedCase } from '../../../schemas/explanation.ts'
import { type McpTool, mcpPlace, mcpText } from '../../flows/mcp_tools.ts'
import { explain } from './explain.ts'

const most = { cases: 4, expectations: 8, evidence: 2, runs: 3 }

const input = z.strictObject({
  benchmark: mcpPlace.describe('benchmark folder or workspace (its newest benchmark)'),
  case: mcpText(500).optional().describe('one case: id, name or glob; default: the worst'),
})

export const explainTool: McpTool = {
  title: 'Explain failures',
  description:
    'Show why cases of a benchmark failed: which expectations, in how many runs, with quotes, and where to read the transcripts. Asks no model.',
  input,
  output: { cases: z.array(z.looseObject({ eval_id: z.number(), eval_name: z.string() })) },
  async call(given, places, context) {
    const { benchmark, case: named = null } = input.parse(given)
    const folder = await places.resolveBenchmark(benchmark)
    const found = await explain({ folder, case: named }, context)
    const uri = places.benchmarkUri(folder)
    return {
      sentence: found.verdict,
      cases: found.cases.slice(0, most.cases).map((one) => shorten(one, uri)),
      left_out: found.left_out + Math.max(0, found.cases.length - most.cases),
      passing: found.passing,
      resource: `${uri}/benchmark.md`,
    }
  },
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

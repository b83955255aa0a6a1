/** demo: a full bench, or a whole session of improve, on the embedded practice model with a bundled example skill. */
import path from 'node:path'
import { bench } from '../../../flows/bench/bench.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { type ImproveResult, improve } from '../../../flows/improve/improve.ts'
import type { BenchResult } from '../../../flows/report/summarize.ts'
import { usualMargins } from '../../../phases/4-report/acceptance/guards.ts'
import { type DemoRequest, demoSettings, exampleFolder, withExample } from './example.ts'

export async function demo(request: DemoRequest, context: FlowContext): Promise<BenchResult> {
  const example = exampleFolder('example')
  const asked = {
    ...demoSettings(request),
    skill: request.skill ?? path.join(example, 'invoice-totals'),
    baseline: null,
    cases: [],
    runs: request.runs,
    fresh: true,
    cache: false,
  }
  return await withExample(example, context, (inner) => bench(asked, inner))
}

/** Each demo starts a new session; an unfinished one in the workspace is moved to `sessions/`. */
export async function demoImprove(request: Omit<DemoRequest, 'runs'>, context: FlowContext): Promise<ImproveResult> {
  const example = exampleFolder('example-improve')
  const asked = {
    skill: request.skill ?? path.join(example, 'adder'),
    bench: demoSettings(request),
    totalRuns: 250,
    goal: 'better' as const,
    certifyJudge: null,
    confirmOn: [],
    seed: 1,
    margins: usualMargins,
    proposer: null,
    proposeTimeout: 60,
    useDrafts: false,
    resume: false,
    replaceUnfinished: true,
    review: null,
  }
  return await withExample(example, context, (inner) => improve(asked, inner))
}

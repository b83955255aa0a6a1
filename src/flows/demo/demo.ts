/** demo: a full bench on the embedded practice model with the bundled example skill. */
import path from 'node:path'
import { packageRoot } from '../../base/package_root.ts'
import { noSandboxWish, type SandboxWish } from '../../base/sandbox/choose.ts'
import { loadScenario } from '../../practice/scenario/scenario.ts'
import { startPractice } from '../../practice/server.ts'
import { bench } from '../bench/bench.ts'
import type { FlowContext } from '../flow_context.ts'
import type { BenchResult } from '../report/summarize.ts'

export interface DemoRequest {
  runs: number
  concurrency: number
  /** A copy of the example skill; null: the bundled one. */
  skill: string | null
  workspace: string | null
  /** null: auto. */
  sandbox?: SandboxWish | null
}

export async function demo(request: DemoRequest, context: FlowContext): Promise<BenchResult> {
  const example = path.join(packageRoot(), 'workspaces/example')
  await using server = await startPractice({ scenario: await loadScenario(path.join(example, 'practice.yaml')) })
  const env = { ...withoutCredentials(context.env), ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  return await bench(
    {
      skill: request.skill ?? path.join(example, 'invoice-totals'),
      suite: null,
      baseline: null,
      cases: [],
      engine: 'anthropic:practice-1',
      model: null,
      judge: 'anthropic:practice-1',
      runs: request.runs,
      concurrency: request.concurrency,
      timeoutSeconds: 60,
      maxTurns: 20,
      retries: 2,
      activation: 'natural',
      onTimeout: 'fail',
      workspace: request.workspace,
      fresh: true,
      cache: false,
      passEnv: [],
      sandbox: { ...(request.sandbox ?? noSandboxWish), ...(request.skill === null && { trusted: true }) }, // shipped with the program
    },
    { ...context, env },
  )
}

/** The practice model never gets a real key. */
function withoutCredentials(env: FlowContext['env']): FlowContext['env'] {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI)_/.test(name)),
  )
}

/** demo: the whole of bench on the embedded practice model, with the example skill that ships. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SandboxWish } from '../base/sandbox/choose.ts'
import { loadScenario } from '../practice/scenario.ts'
import { startPractice } from '../practice/server.ts'
import { bench } from './bench.ts'
import type { FlowContext } from './context.ts'
import type { BenchResult } from './summarize.ts'

export interface DemoRequest {
  runs: number
  concurrency: number
  /** A copy of the example skill; null: the shipped one. */
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
      sandbox: request.sandbox ?? null,
    },
    { ...context, env },
  )
}

/** No real key ever reaches the practice model. */
function withoutCredentials(env: FlowContext['env']): FlowContext['env'] {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI)_/.test(name)),
  )
}

/** The folder that holds package.json: two levels up in the source tree, three in the build. */
export function packageRoot(): string {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const roots = ['../..', '../../..'].map((up) => path.join(here, up))
  return roots.find((root) => existsSync(path.join(root, 'package.json'))) ?? here
}

/** The shipped examples: each is a skill with its suite, and the scenario that the embedded practice model answers from. */
import path from 'node:path'
import { packageRoot } from '../../../base/package_root.ts'
import { noSandboxWish, type SandboxWish } from '../../../base/sandbox/choose.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { loadScenario } from '../scenario/scenario.ts'
import { startPractice } from '../server.ts'

export interface DemoRequest {
  runs: number
  concurrency: number
  /** A copy of the example skill; null: the bundled one. */
  skill: string | null
  workspace: string | null
  /** null: auto. */
  sandbox?: SandboxWish | null
}

export function exampleFolder(name: 'example' | 'example-improve'): string {
  return path.join(packageRoot(), 'workspaces', name)
}

/** Runs a flow against the practice model of an example. */
export async function withExample<R>(
  example: string,
  context: FlowContext,
  flow: (context: FlowContext) => Promise<R>,
): Promise<R> {
  await using server = await startPractice({ scenario: await loadScenario(path.join(example, 'practice.yaml')) })
  const env = { ...withoutCredentials(context.env), ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  return await flow({ ...context, env })
}

/** The settings of every benchmark of a demo. */
export function demoSettings({ concurrency, skill, workspace, sandbox }: Omit<DemoRequest, 'runs'>) {
  return {
    suite: null,
    engine: 'anthropic:practice-1',
    model: null,
    judge: 'anthropic:practice-1',
    concurrency,
    timeoutSeconds: 60,
    maxTurns: 20,
    retries: 2,
    activation: 'natural' as const,
    onTimeout: 'fail' as const,
    workspace,
    passEnv: [],
    sandbox: { ...(sandbox ?? noSandboxWish), ...(skill === null && { trusted: true }) }, // shipped with the program
  }
}

/** The practice model never gets a real key. */
function withoutCredentials(env: FlowContext['env']): FlowContext['env'] {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI)_/.test(name)),
  )
}

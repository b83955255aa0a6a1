/** demo: a full bench, or a whole session of improve, on the embedded practice model with a bundled example skill. */
import { cpSync, existsSync } from 'node:fs'
import path from 'node:path'
import { errorMessage, UserError } from '../../../base/errors/error.ts'
import { packageRoot } from '../../../base/package_root.ts'
import { noSandboxWish, type SandboxWish } from '../../../base/sandbox/choose.ts'
import { bench } from '../../../flows/bench/bench.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { type ImproveResult, improve } from '../../../flows/improve/improve.ts'
import type { BenchResult } from '../../../flows/report/summarize.ts'
import { usualMargins } from '../../../phases/4-report/acceptance/guards.ts'
import { loadScenario } from '../scenario/scenario.ts'
import { startPractice } from '../server.ts'

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

export interface DemoRequest {
  runs: number
  concurrency: number
  /** A copy of the example skill; null: the bundled one. */
  skill: string | null
  workspace: string | null
  /** null: auto. */
  sandbox?: SandboxWish | null
}

function exampleFolder(name: 'example' | 'example-improve'): string {
  return path.join(packageRoot(), 'workspaces', name)
}

/** Runs a flow against the practice model of an example. */
async function withExample<R>(
  example: string,
  context: FlowContext,
  flow: (context: FlowContext) => Promise<R>,
): Promise<R> {
  await using server = await startPractice({ scenario: await loadScenario(path.join(example, 'practice.yaml')) })
  const env = { ...withoutCredentials(context.env), ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  return await flow({ ...context, env })
}

/** The settings of every benchmark of a demo. */
function demoSettings({ concurrency, skill, workspace, sandbox }: Omit<DemoRequest, 'runs'>) {
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

/** Copies skill, suite and the scenario of the practice model; `to` must not exist. Throws UserError. */
export function copyExample(name: 'example' | 'example-improve', to: string) {
  if (existsSync(to)) throw new UserError(`--copy ${to}: this folder exists`, 'name a new one')
  try {
    cpSync(exampleFolder(name), to, {
      recursive: true,
      filter: (file) => !isResult(path.relative(exampleFolder(name), file)),
    })
  } catch (error) {
    throw new UserError(`--copy ${to}: ${errorMessage(error)}`)
  }
  const skill = name === 'example' ? 'invoice-totals' : 'adder'
  return { skill: path.join(to, skill), scenario: path.join(to, 'practice.yaml') }
}

/** In a clone an earlier benchmark may have left its results next to the example. */
function isResult(file: string): boolean {
  return file.split(path.sep).some((part) => part === 'benchmarks' || part === '.cache')
}

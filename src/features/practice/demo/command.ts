/** `whetstone demo`: runs a full benchmark, or a session of improve, on the embedded practice model with a bundled example skill, without a key. */
import { cpSync, existsSync } from 'node:fs'
import path from 'node:path'
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { errorMessage, UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { packageRoot, typedCommand } from '../../../base/package_root.ts'
import { noSandboxWish, type SandboxWish } from '../../../base/sandbox/choose.ts'
import { showResult } from '../../../cli/commands/bench/print.ts'
import { onOff, text, whole } from '../../../cli/commands/options/flag.ts'
import { type SetExitCode, withFlow, withJson } from '../../../cli/commands/options/run_flow.ts'
import { sandboxFlags, sandboxWish } from '../../../cli/commands/options/sandbox_flags.ts'
import { exitCodes } from '../../../cli/exit_codes.ts'
import { toSafeLine } from '../../../cli/terminal/style.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { ImproveResult } from '../../../flows/improve/apply.ts'
import type { BenchResult } from '../../../flows/report/summarize.ts'
import { usualMargins } from '../../../phases/4-report/acceptance/guards.ts'

/** Each demo starts a new benchmark or session. */
const noResumeWay = null

const usualRuns = 3

function demoOptions(args: Argv) {
  return withJson(args)
    .options({
      improve: { ...onOff, describe: 'run a session of improve instead of a benchmark' },
      runs: {
        ...whole('runs', 1, 1000),
        defaultDescription: String(usualRuns),
        describe: 'benchmark: runs per case and configuration',
      },
      concurrency: { ...whole('concurrency', 1, 256), default: 4, describe: 'runs at once' },
      skill: {
        ...text,
        defaultDescription: 'the shipped example',
        describe: 'copy of the example skill to try edits on',
      },
      copy: { ...text, describe: 'copy the example to this new folder and run nothing' },
      workspace: { ...text, describe: 'folder for results' },
    })
    .options(sandboxFlags)
    .usage(
      '$0 demo [options]\n\nRun a whole benchmark, or with --improve a whole session of improve, on the embedded practice model: no key, no cost.\n\nA real agent loop reads a real skill and runs its script; only the model answers from a scenario file. Edit a copy of the skill and see the difference change.',
    )
    .example('$0 demo', 'the shipped example')
    .example('$0 demo --improve', 'find a better version of another example')
    .example('$0 demo --copy example', 'get the example skill, its cases and the practice answers')
    .example('$0 demo --skill example/invoice-totals --workspace /tmp/try', 'your edited copy of the skill')
}

type DemoArguments = ReturnType<typeof demoOptions> extends Argv<infer T> ? T : never

/** Returns the exit code. */
async function runBenchDemo(parsed: ArgumentsCamelCase<DemoArguments>): Promise<number> {
  const { runs = usualRuns, concurrency, json, skill = null, workspace = null } = parsed
  const request = { runs, concurrency, skill, workspace, sandbox: sandboxWish(parsed) }
  const { result, interrupted } = await withFlow({ json, concurrency, goesOn: noResumeWay }, (context) =>
    demo(request, context),
  )
  return await showResult(result, { json, interrupted, goesOn: noResumeWay, next: demoNext })
}

function demoNext(folder: string): [string, string][] {
  return [
    [`view ${folder}`, 'open the report'],
    ['demo --copy example', 'get the example to try edits, as in the tutorial'],
  ]
}

/** Returns the exit code. */
async function runImproveDemo(parsed: ArgumentsCamelCase<DemoArguments>): Promise<number> {
  if (parsed.runs !== undefined) throw new UserError('--runs with --improve', 'remove --runs')
  const { showImprove } = await import('../../../cli/commands/improve/print.ts')
  const { concurrency, json, skill = null, workspace = null } = parsed
  const request = { concurrency, skill, workspace, sandbox: sandboxWish(parsed) }
  const { result, interrupted } = await withFlow({ json, concurrency, goesOn: noResumeWay }, (context) =>
    demoImprove(request, context),
  )
  return showImprove(result, { json, interrupted, toBeApplied: false, isDemo: true })
}

/** Returns the exit code. */
async function runCopy(to: string, { improve, json }: ArgumentsCamelCase<DemoArguments>): Promise<number> {
  const copy = copyExample(improve ? 'example-improve' : 'example', to)
  const lines = [
    `copied to ${to}. With a practice model in a second terminal:`,
    `  ${typedCommand()} practice --scenario ${copy.scenario} --port 8123`,
    'benchmark the copy:',
    '  export ANTHROPIC_BASE_URL=http://127.0.0.1:8123 ANTHROPIC_API_KEY=practice',
    `  ${typedCommand()} bench ${copy.skill} --engine anthropic:practice-1`,
  ]
  process.stdout.write(json ? `${jsonText(copy)}\n` : `${lines.map(toSafeLine).join('\n')}\n`)
  return exitCodes.done
}

async function runDemo(parsed: ArgumentsCamelCase<DemoArguments>): Promise<number> {
  if (parsed.copy !== undefined) return await runCopy(parsed.copy, parsed)
  return await (parsed.improve ? runImproveDemo(parsed) : runBenchDemo(parsed))
}

export function addDemo(args: Argv, done: SetExitCode): Argv {
  return args.command(
    'demo',
    'a whole benchmark on the embedded practice model, no key needed',
    demoOptions,
    async (parsed) => done(await runDemo(parsed)),
  )
}

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
  const { bench } = await import('../../../flows/bench/bench.ts')
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
  const { improve } = await import('../../../flows/improve/improve.ts')
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
  const { loadScenario } = await import('../scenario/scenario.ts')
  const { startPractice } = await import('../server.ts')
  await using server = await startPractice({ scenario: await loadScenario(path.join(example, 'practice.yaml')) })
  const env = { ...withoutCredentials(context.env), ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  return await flow({ ...context, env })
}

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

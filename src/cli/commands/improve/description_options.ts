/** `improve --description`: its own flags, and how it uses the other ones. */
import type { Options } from 'yargs'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { DescriptionRequest } from '../../../flows/triggers/description/improve_description.ts'
import { usualTimeout } from '../../../phases/1-plan/suite/timeouts.ts'
import { InterruptedError, resumeWays, stoppedLine } from '../../terminal/interrupt.ts'
import { parseLimits } from '../options/limit_flags.ts'
import { wholeNumber, withFlow } from '../options/run_flow.ts'
import { sandboxWish } from '../options/sandbox_flags.ts'
import { askingFlags } from '../triggers/options.ts'
import { showDescription } from './print_description.ts'

const { set, among, threshold } = askingFlags

const usualRuns = 5

export const descriptionFlags = {
  description: {
    type: 'boolean',
    default: false,
    describe: 'improve only the description, by trigger queries',
  },
  set: { ...set, describe: 'with --description: file with the queries (JSON)' },
  among: { ...among, describe: 'with --description: other installed skills (repeatable)' },
  iterations: {
    type: 'number',
    requiresArg: true,
    default: 5,
    coerce: wholeNumber('iterations', 1, 100),
    describe: 'with --description: most proposals',
  },
  runs: {
    type: 'number',
    requiresArg: true,
    coerce: wholeNumber('runs', 2, 1000),
    defaultDescription: String(usualRuns),
    describe: 'with --description: runs per query',
  },
  'test-runs': {
    type: 'number',
    requiresArg: true,
    coerce: wholeNumber('test-runs', 2, 1000),
    defaultDescription: 'as --runs',
    describe: 'with --description: runs per test query',
  },
  threshold: { ...threshold, describe: 'with --description: share of runs that counts as triggered' },
} satisfies Record<string, Options>

type SandboxArguments = Parameters<typeof sandboxWish>[0]

/** The flags of `improve` that it reads. */
export interface DescriptionArguments extends SandboxArguments {
  skill: string
  json: boolean
  set?: string | undefined
  among: string[]
  links?: 'copy' | 'refuse' | undefined
  threshold: number
  iterations: number
  runs?: number | undefined
  testRuns?: number | undefined
  proposer?: string | undefined
  seed: number
  apply: boolean
  resume: boolean
  engine: string
  model?: string | undefined
  baseUrl?: string | undefined
  effort?: string | undefined
  concurrency: number
  timeout?: number | undefined
  idleTimeout: number
  maxTurns?: number | undefined
  retries: number
  passEnv: string[]
  workspace?: string | undefined
  budget?: number | undefined
  budgetTokens?: number | undefined
  costPerRun?: number | undefined
  deadline?: string | undefined
  maxWait: string
}

/** Significance level of the single deciding comparison. */
const alpha = 0.05

function buildDescriptionRequest(parsed: DescriptionArguments): DescriptionRequest {
  const { runs = usualRuns } = parsed
  const { skill, among, threshold, seed, apply, resume, engine, concurrency, retries, passEnv } = parsed
  return {
    ...{ skill, among, threshold, runs, seed, apply, resume, engine, concurrency, retries, passEnv, alpha },
    set: parsed.set ?? null,
    rounds: parsed.iterations,
    testRuns: parsed.testRuns ?? runs,
    proposer: parsed.proposer ?? null,
    model: parsed.model ?? null,
    effort: parsed.effort ?? null,
    baseUrl: parsed.baseUrl ?? null,
    timeoutSeconds: parsed.timeout ?? usualTimeout,
    maxTurns: parsed.maxTurns ?? askingFlags['max-turns'].default,
    stopEarly: true,
    workspace: parsed.workspace ?? null,
    limits: parseLimits(parsed),
    pace: { idleMs: parsed.idleTimeout * 1000 },
    sandbox: sandboxWish(parsed),
    links: parsed.links,
  }
}

/** Returns the exit code. */
export async function startDescription(parsed: DescriptionArguments): Promise<number> {
  const { improveDescription } = await import('../../../flows/triggers/description/improve_description.ts')
  const request = buildDescriptionRequest(parsed)
  const { json, concurrency, apply } = parsed
  const flow = (context: FlowContext) => improveDescription(request, context)
  const waits = { maxWait: parsed.maxWait, limits: request.limits }
  const { result, interrupted } = await withFlow(
    { json, concurrency, goesOn: resumeWays.withResume, waits },
    flow,
  ).catch((error: unknown) => {
    throw error instanceof InterruptedError ? new InterruptedError(stoppedLine(resumeWays.withResume)) : error
  })
  return showDescription(result, { json, interrupted, apply })
}

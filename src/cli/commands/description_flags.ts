/** `improve --description`: the flags that only it has, and what it makes of the others. */
import type { Options } from 'yargs'
import type { FlowContext } from '../../flows/context.ts'
import type { DescriptionRequest } from '../../flows/triggers/improve_description.ts'
import { usualTimeout } from '../../phases/1-plan/timeouts.ts'
import { Interrupted, stoppedLine, ways } from '../interrupt.ts'
import { limitsOf } from './limit_flags.ts'
import { sandboxWish } from './sandbox_flags.ts'
import { withFlow } from './shared.ts'
import { askingFlags } from './triggers_flags.ts'

const { set, among, threshold } = askingFlags

export const descriptionFlags = {
  description: {
    type: 'boolean',
    default: false,
    describe: 'the description alone, by trigger queries: is the skill used when it should be? (docs/triggers.md)',
  },
  set: { ...set, describe: 'with --description, the queries (JSON); found in the skill if not given' },
  among: { ...among, describe: 'with --description, skills that lie beside it (repeatable)' },
  threshold: { ...threshold, describe: 'with --description, from which share of its runs a query counts as triggered' },
} satisfies Record<string, Options>

type Sandboxed = Parameters<typeof sandboxWish>[0]

/** What is read of the command line of `improve`. */
export interface DescriptionArguments extends Sandboxed {
  skill: string
  json: boolean
  set?: string | undefined
  among: string[]
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
}

const usualRuns = 5

/** Error of the one comparison that decides. */
const alpha = 0.05

function requestOf(parsed: DescriptionArguments): DescriptionRequest {
  const { runs = usualRuns } = parsed
  const { skill, among, threshold, seed, apply, resume, engine, concurrency, retries, passEnv } = parsed
  return {
    ...{ skill, among, threshold, runs, seed, apply, resume, engine, concurrency, retries, passEnv, alpha },
    set: parsed.set ?? null,
    rounds: parsed.iterations,
    testRuns: parsed.testRuns ?? runs,
    proposer: parsed.proposer ?? null,
    model: parsed.model ?? null,
    baseUrl: parsed.baseUrl ?? null,
    timeoutSeconds: parsed.timeout ?? usualTimeout,
    maxTurns: parsed.maxTurns ?? askingFlags['max-turns'].default,
    stopEarly: true,
    workspace: parsed.workspace ?? null,
    limits: limitsOf(parsed),
    pace: { idleMs: parsed.idleTimeout * 1000 },
    sandbox: sandboxWish(parsed),
  }
}

/** Gives the exit code. */
export async function startDescription(parsed: DescriptionArguments): Promise<number> {
  const [{ improveDescription }, { showDescription }] = await Promise.all([
    import('../../flows/triggers/improve_description.ts'),
    import('../show_description.ts'),
  ])
  const request = requestOf(parsed)
  const { json, concurrency, apply } = parsed
  const flow = (context: FlowContext) => improveDescription(request, context)
  const { result, interrupted } = await withFlow({ json, concurrency, goesOn: ways.withResume }, flow).catch(
    (error: unknown) => {
      throw error instanceof Interrupted ? new Interrupted(stoppedLine(ways.withResume)) : error
    },
  )
  return showDescription(result, { json, interrupted, apply })
}

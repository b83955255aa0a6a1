/** eval in this process, on commands as agent and judge. */
import path from 'node:path'
import type { EvalResult } from '../../../schemas/eval_result.ts'
import { evaluate, planEval } from '../../../src/flows/eval/eval.ts'
import type { EvalRequest } from '../../../src/flows/eval/eval_request.ts'
import type { FlowContext } from '../../../src/flows/flow_context.ts'

const never = new AbortController().signal

export function requestFor(folder: string, wish: Partial<EvalRequest>): EvalRequest {
  return {
    ...{ path: folder, format: null, cases: [], target: null, category: null, test: null },
    ...{ engine: 'command:echo yes', model: null, baseUrl: null, judge: 'command:cat', timeoutSeconds: null },
    ...{ maxTurns: null, concurrency: 1, retries: 0, workspace: path.join(folder, 'ws'), passEnv: [], keep: false },
    ...{
      cache: true,
      fresh: false,
      isolate: false,
      sandbox: { mode: 'off', network: null, readable: [], trusted: true } as const,
    },
    ...wish,
  }
}

export function contextAt(now: () => Date = () => new Date(), env: FlowContext['env'] = {}): FlowContext {
  return { emit: () => {}, env: { PATH: process.env.PATH, ...env }, drain: never, signal: never, now }
}

export async function planned(folder: string, wish: Partial<EvalRequest> = {}, context = contextAt()) {
  return await planEval(requestFor(folder, wish), context)
}

/** The result of the only suite. Throws why it could not be run. */
export async function evaluated(
  folder: string,
  wish: Partial<EvalRequest> = {},
  context = contextAt(),
): Promise<EvalResult> {
  const { results, broken } = await evaluate(requestFor(folder, wish), context)
  const [one] = results
  if (one === undefined || broken.length > 0) throw broken[0]?.error ?? new Error('no result')
  return one
}

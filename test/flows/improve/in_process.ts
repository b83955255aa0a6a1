/** Sessions of `improve` by its flow itself, without a process around it. */
import type { FlowContext } from '../../../src/flows/flow_context.ts'
import { improve } from '../../../src/flows/improve/improve.ts'
import type { ImproveRequest } from '../../../src/flows/improve/improve_request.ts'
import { type Limits, noLimits } from '../../../src/flows/limits/limits.ts'
import { usualMargins } from '../../../src/phases/4-report/acceptance/guards.ts'
import type { World } from '../../e2e/improve/improving.ts'

export interface Wish extends Partial<Omit<ImproveRequest, 'bench' | 'skill'>> {
  limits?: Partial<Limits>
  engine?: string
  queue?: ImproveRequest['bench']['queue']
  /** Ctrl-C, once, after so many rounds. */
  drainAfter?: number
}

const usual = {
  ...{ totalRuns: 24, goal: 'better' as const, certifyJudge: null, confirmOn: [], seed: 1, margins: usualMargins },
  ...{ proposer: null, proposeTimeout: 60, useDrafts: false, resume: false },
}

type Place = Pick<World, 'skill' | 'workspace' | 'env'>

export function requestHere(
  { skill, workspace }: Place,
  { limits = {}, engine = 'anthropic:practice-1', queue = null, drainAfter: _, ...wish }: Wish,
): ImproveRequest {
  const bench = {
    ...{ suite: null, engine, model: null, judge: null, concurrency: 4, timeoutSeconds: 60, maxTurns: null },
    ...{ retries: 0, activation: 'natural' as const, onTimeout: 'fail' as const, workspace, passEnv: [] },
    limits: { ...noLimits, ...limits },
    queue,
    sandbox: { mode: 'off' as const, network: null, readable: [], trusted: true },
  }
  return { skill, ...usual, review: null, ...wish, bench }
}

/** `told`: gets what a session says on its way. */
export function contextHere({ env }: Place, told: string[] = [], drain = new AbortController()): FlowContext {
  return {
    emit: (event) => void (event.type === 'improve_step' && told.push(event.message)),
    env: { PATH: process.env.PATH, ...env },
    drain: drain.signal,
    signal: new AbortController().signal,
    now: () => new Date(),
  }
}

/** What it gives, and what it has told on its way. */
export async function improveHere(place: Place, wish: Wish = {}) {
  const told: string[] = []
  const drain = new AbortController()
  let rounds = 0
  const review = async () => {
    rounds += 1
    if (rounds === wish.drainAfter) drain.abort(new Error('Ctrl-C'))
  }
  const { history } = await improve(requestHere(place, { ...wish, review }), contextHere(place, told, drain))
  return { history, told }
}

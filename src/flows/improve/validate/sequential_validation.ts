/** Runs validation in blocks with interim checks, and training until the candidate falls behind. */
import type { GateResult } from '../../../../schemas/history/gate.ts'
import type { GateTrial } from '../../../phases/4-report/acceptance/candidate_verdict.ts'
import { type PairedCase, takeFirstBlocks } from '../../../phases/4-report/acceptance/compared_case.ts'
import { isLosingToParent } from '../../../phases/4-report/acceptance/early_rejection.ts'
import { evaluateCandidateLook, findNextLook } from '../../../phases/4-report/acceptance/interim_analysis.ts'
import type { ExecutePlan } from '../../run/execute.ts'
import { createStagedPerform } from './staged_runs.ts'

export type GateSettings = Pick<GateTrial, 'against' | 'alpha' | 'margins' | 'planned'>

/** Stops when the gate has decided. */
export function createBlockPerform(gated: GateSettings): ExecutePlan {
  return createStagedPerform(() =>
    listInterimChecks(gated.planned).map((blocks) => ({
      keeps: (run) => run.run_number <= blocks,
      runs: blocks,
      isEnough: (cases) => decideGate(cases, { ...gated, blocks }) !== null,
    })),
  )
}

/** All runs of the parent first, most of them cached; then the candidate's in turn. `most`: the candidate's runs. */
export function createTrainingPerform({ most, parent }: { most: number; parent: number }): ExecutePlan {
  return createStagedPerform((plan) =>
    Array.from({ length: most }, (_, at) => ({
      keeps: ({ configuration, run_number }) =>
        run_number <= (configuration === plan.baseline_configuration ? parent : at + 1),
      runs: parent,
      isEnough: isLosingToParent,
    })),
  )
}

/** The gate's result from the checks up to this block; null: undecided. The same runs give the same result. */
export function decideGate(cases: readonly PairedCase[], gated: GateSettings & { blocks: number }): GateResult | null {
  const looks: GateResult['looks'] = []
  for (const at of listInterimChecks(gated.planned).filter((blocks) => blocks <= gated.blocks)) {
    const { look, verdict } = evaluateCandidateLook({
      ...gated,
      cases: cases.map((one) => takeFirstBlocks(one, at)),
      blocks: at,
      looks,
    })
    if (look !== null) looks.push(look)
    if (verdict !== null) return verdict
  }
  return null
}

/** The blocks followed by a check; the last is the planned one. */
function listInterimChecks(planned: number): number[] {
  const looks = [findNextLook(0, planned)]
  for (let last = looks[0] ?? planned; last < planned; looks.push(last)) last = findNextLook(last, planned)
  return looks
}

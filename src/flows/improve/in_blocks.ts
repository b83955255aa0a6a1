/** The blocks of a validation, with a look of the gate after some of them; the runs of a training, until a candidate is behind. */
import type { GateResult } from '../../../schemas/history/gate.ts'
import { isBehind } from '../../phases/4-report/accept/early.ts'
import { lookAt, nextLook } from '../../phases/4-report/accept/look.ts'
import { firstBlocks, type MetCase } from '../../phases/4-report/accept/met_case.ts'
import type { Met } from '../../phases/4-report/accept/verdict.ts'
import type { Perform } from '../prepare.ts'
import { inStages } from './in_stages.ts'

export type Gated = Pick<Met, 'against' | 'alpha' | 'margins' | 'planned'>

/** Ends where the gate has decided. */
export function inBlocks(gated: Gated): Perform {
  return inStages(() =>
    looksOf(gated.planned).map((blocks) => ({
      keeps: (run) => run.run_number <= blocks,
      runs: blocks,
      isEnough: (cases) => verdictOn(cases, { ...gated, blocks }) !== null,
    })),
  )
}

/** All runs of the parent first, most of them made before; those of the candidate one by one. `most`: of the candidate. */
export function inTraining({ most, parent }: { most: number; parent: number }): Perform {
  return inStages((plan) =>
    Array.from({ length: most }, (_, at) => ({
      keeps: ({ configuration, run_number }) =>
        run_number <= (configuration === plan.baseline_configuration ? parent : at + 1),
      runs: parent,
      isEnough: isBehind,
    })),
  )
}

/** What the looks at these runs say, up to the block; null: they go on. The same runs give the same looks. */
export function verdictOn(cases: readonly MetCase[], gated: Gated & { blocks: number }): GateResult | null {
  const looks: GateResult['looks'] = []
  for (const at of looksOf(gated.planned).filter((blocks) => blocks <= gated.blocks)) {
    const { look, verdict } = lookAt({ ...gated, cases: cases.map((one) => firstBlocks(one, at)), blocks: at, looks })
    if (look !== null) looks.push(look)
    if (verdict !== null) return verdict
  }
  return null
}

/** The blocks after which there is a look; the last is the planned one. */
function looksOf(planned: number): number[] {
  const looks = [nextLook(0, planned)]
  for (let last = looks[0] ?? planned; last < planned; looks.push(last)) last = nextLook(last, planned)
  return looks
}

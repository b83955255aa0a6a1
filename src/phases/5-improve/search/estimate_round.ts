/** What a round's runs say about each edit, and which edits are kept. */
import type { ProposedEdit } from '../../../../schemas/history/round.ts'
import { estimateEffects, type MixedRun } from './estimate_effects.ts'

export interface EffectsRequest {
  /** Of the edits that ran. */
  ids: readonly string[]
  goal: 'better' | 'cheaper'
  cases: readonly number[]
  /** Runs of mixes, and of the version without any of the edits. */
  runs: readonly (MixedRun & { tokens: number | null })[]
}

export interface RoundEstimate {
  effects: ReadonlyMap<string, Pick<ProposedEdit, 'effect' | 'runs_with' | 'runs_without' | 'cases'>>
  /** Ids. */
  kept: string[]
  /** Estimated pass rate on training cases of the version without the edits. */
  base: number
  rateWith: (ids: readonly string[]) => number
}

/** Goal cheaper: an edit that saves tokens may cost this much of the estimated pass rate. */
const mostLoss = 0.02

/** Kept: the estimated effect is above 0; goal cheaper: it saves tokens, and the pass rate hardly falls. */
export function estimateRound({ ids, goal, cases, runs }: EffectsRequest): RoundEstimate {
  const { effects, base } = estimateEffects(runs, ids)
  const counted = runs.flatMap(({ tokens, ...run }) => (tokens === null ? [] : [{ ...run, score: tokens }]))
  const tokens = goal === 'cheaper' && counted.length > 0 ? estimateEffects(counted, ids).effects : null
  const isKept = (id: string) => {
    const effect = effects.get(id) ?? 0
    return tokens === null ? effect > 0 : effect > -mostLoss && (tokens.get(id) ?? 0) < 0
  }
  const details = ids.map((id) => {
    const isWith = ({ edits }: MixedRun) => edits.has(id)
    const own = cases.map((evalId) => {
      const ofCase = runs.filter((run) => run.evalId === evalId)
      return { eval_id: evalId, with: mean(ofCase.filter(isWith)), without: mean(ofCase.filter((run) => !isWith(run))) }
    })
    const count = runs.filter(isWith).length
    const effect = round(effects.get(id) ?? 0)
    return [id, { effect, runs_with: count, runs_without: runs.length - count, cases: own }] as const
  })
  return {
    effects: new Map(details),
    kept: ids.filter(isKept),
    base: round(clip(base)),
    rateWith: (chosen) => round(clip(chosen.reduce((sum, id) => sum + (effects.get(id) ?? 0), base))),
  }
}

function mean(runs: readonly MixedRun[]): number | null {
  return runs.length === 0 ? null : round(runs.reduce((sum, { score }) => sum + score, 0) / runs.length)
}

function clip(rate: number): number {
  return Math.min(1, Math.max(0, rate))
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6
}

/** Counts the cost of calls to an engine. */
import type { Asked } from '../../../schemas/asked.ts'
import { roundDollars, sumKnown } from '../../base/totals.ts'
import type { EngineReport } from '../engine.ts'
import { countTokens } from '../models/cost.ts'

/** Sums over calls. null: a call that answered did not report it. */
export interface CallUsage {
  calls: number
  /** Input + output + cache read + cache write. */
  tokens: number | null
  costUsd: number | null
  /** The model of the last answer, as the engine names it. */
  model: string | null
  /** Name of the file of --prices that the cost comes from; absent: none. */
  prices?: string | undefined
  /** All calls were answered in batches, at half the price; absent: not all. */
  batched?: true
}

/** Adds several; null if one of those with calls did not report it. */
export function sumCallUsage(parts: readonly CallUsage[]): CallUsage {
  const made = parts.filter(({ calls }) => calls > 0)
  return {
    calls: made.reduce((total, { calls }) => total + calls, 0),
    tokens: sum(made.map(({ tokens }) => tokens)),
    costUsd: sum(made.map(({ costUsd }) => costUsd)),
    model: made.map(({ model }) => model).findLast((model) => model !== null) ?? null,
    ...named(made.map(({ prices }) => prices)),
    ...(made.length > 0 && made.every(({ batched }) => batched) && { batched: true }),
  }
}

export interface CallMeter {
  /** Counts one call; null: it ended without a report. */
  call: (report: EngineReport | null) => void
  spent: () => CallUsage
}

export function openCallMeter(): CallMeter {
  const reports: (EngineReport | null)[] = []
  return {
    call: (report) => {
      reports.push(report)
    },
    spent: () => {
      const known = reports.filter((report) => report !== null)
      return {
        calls: reports.length,
        tokens: sum(known.map(({ usage }) => usage && countTokens(usage))),
        costUsd: sum(known.map((report) => report.cost?.usd ?? null)),
        model: known.map((report) => report.model).findLast((model) => model !== null) ?? null,
        ...named(known.map((report) => report.cost?.prices)),
        ...(known.length > 0 && known.every(({ isBatched }) => isBatched) && { batched: true }),
      }
    },
  }
}

/** The last file of prices that is named; empty: none is. */
function named(files: readonly (string | undefined)[]): Pick<CallUsage, 'prices'> {
  const prices = files.findLast((file) => file !== undefined)
  return prices === undefined ? {} : { prices }
}

/** The form in artefacts; the model is the one that answered, or else the requested one. */
export function toAskedJudge({ name, model }: { name: string; model: string | null }, spent: CallUsage): Asked {
  const { calls, tokens, costUsd, prices } = spent
  return {
    engine: name,
    model: spent.model ?? model,
    calls,
    tokens,
    cost_usd: costUsd === null ? null : roundDollars(costUsd),
    ...(prices !== undefined && { prices }),
    ...(spent.batched && { batched: true }),
  }
}

function sum(values: readonly (number | null)[]): number | null {
  return values.length === 0 ? null : sumKnown(values)
}

/** Counts what calls to an engine cost. */

import type { Asked } from '../../../schemas/asked.ts'
import { roundDollars } from '../../base/dollars.ts'
import type { EngineReport } from '../../engines/engine.ts'

/** Sums over calls. Null: a call that answered did not say. */
export interface Spent {
  calls: number
  /** Input + output + cache read + cache write. */
  tokens: number | null
  costUsd: number | null
  /** The model that answered last, as the engine names it. */
  model: string | null
}

/** The sum of several; null where one of those that called did not say. */
export function addSpent(parts: readonly Spent[]): Spent {
  const made = parts.filter(({ calls }) => calls > 0)
  return {
    calls: made.reduce((total, { calls }) => total + calls, 0),
    tokens: sum(made.map(({ tokens }) => tokens)),
    costUsd: sum(made.map(({ costUsd }) => costUsd)),
    model: made.map(({ model }) => model).findLast((model) => model !== null) ?? null,
  }
}

export interface Meter {
  /** Counts one call by its report; null: it ended without one. */
  call: (report: EngineReport | null) => void
  spent: () => Spent
}

export function openMeter(): Meter {
  const reports: (EngineReport | null)[] = []
  return {
    call: (report) => {
      reports.push(report)
    },
    spent: () => {
      const known = reports.filter((report) => report !== null)
      return {
        calls: reports.length,
        tokens: sum(known.map(tokensOf)),
        costUsd: sum(known.map((report) => report.cost?.usd ?? null)),
        model: known.map((report) => report.model).findLast((model) => model !== null) ?? null,
      }
    },
  }
}

/** As artefacts hold it; the model is the one that answered, else the one asked for. */
export function askedOf({ name, model }: { name: string; model: string | null }, spent: Spent): Asked {
  const { calls, tokens, costUsd } = spent
  return {
    engine: name,
    model: spent.model ?? model,
    calls,
    tokens,
    cost_usd: costUsd === null ? null : roundDollars(costUsd),
  }
}

function tokensOf({ usage }: EngineReport): number | null {
  if (usage === null) return null
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens
}

function sum(values: readonly (number | null)[]): number | null {
  if (values.length === 0) return null
  let total = 0
  for (const value of values) {
    if (value === null) return null
    total += value
  }
  return total
}

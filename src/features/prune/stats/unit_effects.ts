/**
 * What each unit of a skill changes, from runs that each leave out half of the units: a linear regression of a run's score, or of another
 * amount, on the units with a mean for each case. Each case has a variance of its own, moderated by that of all cases as limma moderates
 * the variances of genes (Smyth 2004). Calibrated by simulation: test/features/prune/design.nightly.test.ts.
 */
import { tCdf, tQuantile } from '../../../phases/4-report/stats/distributions/quantiles.ts'
import { sampleMean } from '../../../phases/4-report/stats/numbers/moments.ts'
import { benjaminiHochberg } from '../../../phases/4-report/stats/tests/adjusted_p_values.ts'
import type { ModeratedT } from '../../../phases/4-report/stats/tests/moderated_t.ts'

export interface ScreenedRun {
  evalId: number
  /** By unit, whether the run had it. */
  has: readonly boolean[]
  /** A score from 0 to 1, or another amount. */
  value: number
}

/** With the unit minus without it, in the unit of the values. */
export interface UnitEffect extends Omit<ModeratedT, 'correction'> {
  /** By Benjamini and Hochberg, over the units. */
  pAdjusted: number
}

export interface ScreeningFit {
  effects: UnitEffect[]
  /** Of a run within its case, with the units' effects taken out. */
  variance: number
  mean: number
  runs: number
}

/** How strongly the variance of all cases counts in that of one case, in degrees of freedom. */
const priorDf = 4
const near = 1e-9

/** `least`: the smallest variance to believe, as one more run would add it; 1/4 for scores. null: too few runs to tell the units apart. */
export function estimateUnitEffects(
  runs: readonly ScreenedRun[],
  { units, alpha, least }: { units: number; alpha: number; least: number },
): ScreeningFit | null {
  const cases = groupRuns(runs, units)
  const centred = cases.flatMap((one) => one.rows)
  const products = Array.from({ length: units }, (_, row) =>
    Array.from({ length: units }, (_, column) => sum(centred, ({ x }) => at(x, row) * at(x, column))),
  )
  const inverse = invertMatrix(products)
  const residualDf = runs.length - units - cases.length
  if (inverse === null || residualDf < 1) return null
  const along = Array.from({ length: units }, (_, unit) => sum(centred, ({ x, y }) => at(x, unit) * y))
  const means = inverse.map((row) => dot(row, along))
  const fitted = cases.map(({ rows }) => {
    const squares = sum(rows, ({ x, y }) => (y - dot(x, means)) ** 2)
    const leverage = sum(rows, ({ x }) => {
      return (
        1 / rows.length +
        dot(
          inverse.map((row) => dot(row, x)),
          x,
        )
      )
    })
    return { rows, squares, df: Math.max(0, rows.length - leverage) }
  })
  const more = least > 0 ? 1 : 0
  const pooled = (sum(fitted, ({ squares }) => squares) + least) / (residualDf + more)
  const variances = fitted.map(({ squares, df }) => (priorDf * pooled + squares + least) / (priorDf + df + more))
  const plain = means.map((mean, unit) => {
    const row = inverse[unit] ?? []
    const parts = fitted.map(({ rows }, place) => at(variances, place) * sum(rows, ({ x }) => dot(row, x) ** 2))
    const variance = parts.reduce((all, one) => all + one, 0)
    const weights = fitted.reduce((all, { df }, place) => all + at(parts, place) ** 2 / (priorDf + df), 0)
    const df = weights < near ** 2 ? residualDf : Math.min(residualDf, variance ** 2 / weights)
    return describeEffect(mean, { standardError: Math.sqrt(variance), df, alpha })
  })
  const adjusted = benjaminiHochberg(plain.map(({ pValue }) => pValue))
  return {
    effects: plain.map((one, unit) => ({ ...one, pAdjusted: at(adjusted, unit) })),
    variance: pooled,
    mean: sampleMean(cases.map(({ mean }) => mean)),
    runs: runs.length,
  }
}

/** The end of a one-sided interval at `alpha`. */
export function upperBound({ mean, standardError, df }: UnitEffect, alpha: number): number {
  return mean + tQuantile(1 - alpha, df) * standardError
}

function describeEffect(
  mean: number,
  { standardError, df, alpha }: { standardError: number; df: number; alpha: number },
): Omit<UnitEffect, 'pAdjusted'> {
  const half = tQuantile(1 - alpha / 2, df) * standardError
  const pValue = standardError > 0 ? 2 * tCdf(-Math.abs(mean) / standardError, df) : mean === 0 ? 1 : 0
  return { mean, standardError, df, low: mean - half, high: mean + half, pValue }
}

interface CentredRun {
  x: readonly number[]
  y: number
}

/** Each case's runs as distances from the case's mean. */
function groupRuns(runs: readonly ScreenedRun[], units: number): { rows: CentredRun[]; mean: number }[] {
  const ids = [...new Set(runs.map(({ evalId }) => evalId))]
  return ids.map((id) => {
    const own = runs.filter(({ evalId }) => evalId === id)
    const mean = sampleMean(own.map(({ value }) => value))
    const shares = Array.from({ length: units }, (_, unit) => sampleMean(own.map(({ has }) => (has[unit] ? 1 : 0))))
    const rows = own.map(({ has, value }) => ({
      x: shares.map((share, unit) => (has[unit] ? 1 : 0) - share),
      y: value - mean,
    }))
    return { rows, mean }
  })
}

function sum<T>(values: readonly T[], amount: (value: T) => number): number {
  let all = 0
  for (const value of values) all += amount(value)
  return all
}

function dot(one: readonly number[], other: readonly number[]): number {
  let all = 0
  for (let place = 0; place < one.length; place += 1) all += at(one, place) * at(other, place)
  return all
}

function at(values: readonly number[], place: number): number {
  return values[place] ?? 0
}

function invertMatrix(matrix: readonly (readonly number[])[]): number[][] | null {
  const size = matrix.length
  const rows = matrix.map((row, at) => [...row, ...row.map((_, column) => (column === at ? 1 : 0))])
  for (let column = 0; column < size; column += 1) {
    const best = rows
      .map((row, at) => ({ at, size: Math.abs(row[column] ?? 0) }))
      .slice(column)
      .reduce((one, other) => (other.size > one.size ? other : one))
    const pivot = rows[best.at]
    const other = rows[column]
    if (best.size < near || pivot === undefined || other === undefined) return null
    rows[best.at] = other
    const scale = pivot[column] ?? 1
    const scaled = pivot.map((value) => value / scale)
    rows[column] = scaled
    for (const [at, row] of rows.entries()) {
      const factor = row[column] ?? 0
      if (at !== column && factor !== 0) rows[at] = row.map((value, place) => value - factor * (scaled[place] ?? 0))
    }
  }
  return rows.map((row) => row.slice(size))
}

/** The lift of a skill over time as one small SVG: a dot a benchmark with its interval, a line through those of one model. */
import type { TrendPoint } from '../../../schemas/trend.ts'

const size = { width: 720, height: 220, left: 44, right: 12, top: 12, bottom: 28 }

/** Numbers and dates alone: nothing in it comes from outside. Empty for fewer than two points. */
export function trendChart(points: readonly TrendPoint[]): string {
  const shown = points.flatMap((point) => (point.lift === null ? [] : { point, lift: point.lift }))
  if (shown.length < 2) return ''
  const step = (size.width - size.left - size.right) / shown.length
  const x = (at: number) => round(size.left + step * (at + 0.5))
  const y = (value: number) => round(size.top + ((1 - value) / 2) * (size.height - size.top - size.bottom))
  const marks = shown.map(({ lift }, at) => {
    const { mean, ci_low, ci_high } = lift
    const interval =
      ci_low === null || ci_high === null ? '' : `<path class="interval" d="M${x(at)} ${y(ci_low)}V${y(ci_high)}"/>`
    return `${interval}<circle class="dot" cx="${x(at)}" cy="${y(mean)}" r="4"/>`
  })
  const seen = new Map<string, number[]>()
  for (const [at, { point }] of shown.entries()) {
    const key = JSON.stringify([point.engine, point.model])
    seen.set(key, [...(seen.get(key) ?? []), at])
  }
  const lines = [...seen.values()].map((own) => {
    const path = own.map((at) => `${x(at)} ${y(shown[at]?.lift.mean ?? 0)}`).join('L')
    return own.length < 2 ? '' : `<path class="series" d="M${path}"/>`
  })
  const grid = [1, 0.5, 0, -0.5, -1].map(
    (value) =>
      `<path class="${value === 0 ? 'zero' : 'grid'}" d="M${size.left} ${y(value)}H${size.width - size.right}"/>` +
      `<text x="${size.left - 6}" y="${y(value) + 4}" text-anchor="end">${value > 0 ? '+' : ''}${value * 100}</text>`,
  )
  const every = Math.ceil(shown.length / 8)
  const dates = shown.flatMap(({ point }, at) =>
    at % every === 0
      ? `<text x="${x(at)}" y="${size.height - 8}" text-anchor="middle">${point.timestamp.slice(0, 10)}</text>`
      : [],
  )
  const body = [...grid, ...lines, ...marks, ...dates].join('')
  return `<svg class="trend" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="Lift in points, benchmark by benchmark">${body}</svg>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

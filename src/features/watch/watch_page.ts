/** Writes `watch.html`: the level by night and the evidence that it fell, on one self-contained page. */
import { createHash } from 'node:crypto'
import type { Watch, WatchBaseline } from '../../../schemas/watch.ts'
import { makeVisible } from '../../base/text/show_control_characters.ts'
import { type TableCell, toTableCells } from '../../phases/4-report/index/table_cells.ts'
import { compileTemplate, readAsset } from '../../phases/4-report/templates/templates.ts'
import { watchAbout, watchHeadline, watchTable } from './watch_text.ts'

interface View {
  css: string
  styleHash: string
  skill: string
  headline: string
  about: string
  charts: { title: string; svg: string; hint: string }[]
  header: string[]
  rows: TableCell[][]
}

export function watchHtml(baseline: WatchBaseline, watch: Watch): string {
  const css = readAsset('report.css') + readAsset('index.css') + readAsset('trend.css')
  const { header, rows } = watchTable(watch)
  return compileTemplate<View>(
    'watch.html.hbs',
    'html',
  )({
    css,
    styleHash: createHash('sha256').update(css).digest('base64'),
    skill: makeVisible(baseline.of.skill.name),
    headline: watchHeadline(baseline, watch),
    about: watchAbout(baseline, watch),
    charts: watch.nights.length === 0 ? [] : [levelChart(watch), evidenceChart(watch)],
    header,
    rows: rows.map((row) => toTableCells(header, row)),
  })
}

const size = { width: 720, height: 220, left: 58, right: 12, top: 12, bottom: 28 }

function levelChart({ nights }: Watch) {
  const marks = nights.flatMap(({ level, alarm }, at) => {
    if (level === null) return []
    return `<circle class="dot${alarm ? '' : ' open'}" cx="${x(at, nights.length)}" cy="${y(level)}" r="4"/>`
  })
  const expected = nights.flatMap(({ expected: share }, at) =>
    share === null ? [] : `${x(at, nights.length)} ${y(share)}`,
  )
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => line(y(share), `${share * 100}%`, 'grid'))
  const body = [...grid, path(expected), ...marks, ...nightLabels(nights.length)].join('')
  return {
    title: 'Level by night',
    svg: draw(body, 'Pass rate by night, and what was expected'),
    hint: 'A dot is the pass rate of the night’s runs, filled if it alarmed. The line is what earlier runs of the same cases let expect.',
  }
}

/** On a logarithmic scale from 0.1 to the limit. */
function evidenceChart({ nights, quiet_nights: limit }: Watch) {
  const [low, high] = [-1, Math.log10(limit)]
  const at = (evidence: number) => y((Math.min(high, Math.max(low, Math.log10(evidence))) - low) / (high - low))
  const steps = [0.1, 1, 10, 100, 1000].filter((one) => one < limit / 2)
  const grid = [...steps.map((one) => line(at(one), String(one), 'grid')), line(at(limit), String(limit), 'zero')]
  const points = nights.map(({ evidence }, night) => `${x(night, nights.length)} ${at(evidence)}`)
  const dots = nights.map(
    ({ evidence, alarm }, night) =>
      `<circle class="dot${alarm ? '' : ' open'}" cx="${x(night, nights.length)}" cy="${at(evidence)}" r="3"/>`,
  )
  return {
    title: 'Evidence that the level fell',
    svg: draw([...grid, path(points), ...dots, ...nightLabels(nights.length)].join(''), 'Evidence by night'),
    hint: `It alarms at the upper line, ${limit}. A night as expected lowers it; one that is lower multiplies it.`,
  }
}

function draw(body: string, label: string): string {
  return `<svg class="trend" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${label}">${body}</svg>`
}

function line(at: number, label: string, kind: string): string {
  return (
    `<path class="${kind}" d="M${size.left} ${at}H${size.width - size.right}"/>` +
    `<text x="${size.left - 6}" y="${at + 4}" text-anchor="end">${label}</text>`
  )
}

function path(points: readonly string[]): string {
  return points.length < 2 ? '' : `<path class="series" d="M${points.join('L')}"/>`
}

function nightLabels(nights: number): string[] {
  const every = Math.ceil(nights / 12)
  return Array.from({ length: nights }, (_, at) => at)
    .filter((at) => at % every === 0)
    .map((at) => `<text x="${x(at, nights)}" y="${size.height - 8}" text-anchor="middle">${at + 1}</text>`)
}

function x(at: number, nights: number): number {
  return round(size.left + ((size.width - size.left - size.right) * (at + 0.5)) / nights)
}

function y(share: number): number {
  return round(size.top + (1 - share) * (size.height - size.top - size.bottom))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** Prints what `prune` would leave out, run and cost, for --dry-run. */
import path from 'node:path'
import { jsonText } from '../../base/json/json_text.ts'
import { commandLines } from '../../cli/terminal/command_lines.ts'
import {
  alignColumns,
  dollarsText,
  durationText,
  oneLine,
  percentText,
  textWidth,
  toSafeLine,
  wrapText,
} from '../../cli/terminal/style.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import type { PruneForecast } from './dry_run.ts'

export function showPruneForecast(forecast: PruneForecast, { json }: { json: boolean }): void {
  const lines = json ? [jsonText({ dry_run: true, ...forecast })] : forecastLines(forecast).map(toSafeLine)
  process.stdout.write(`${lines.join('\n')}\n`)
}

function forecastLines(forecast: PruneForecast): string[] {
  const width = textWidth(process.stdout)
  const { skill, suite, split, engine, judge, workspace, plan, estimate, concurrency, ended } = forecast
  if (ended !== null) return wrapText(`Nothing is left to run: this prune has ended. ${ended}`, width)
  const { units, screening_runs, variants, drop_power, leave_one_out_runs, certification_runs, margin } = plan
  const shown = (place: string) => path.relative(process.cwd(), place) || '.'
  const from =
    estimate.from_runs === 0
      ? 'no earlier run in the workspace'
      : `from ${formatPlural(estimate.from_runs, 'earlier run')}`
  const time = estimate.seconds === null ? 'unknown time' : durationText(estimate.seconds * 1000)
  const rows: [string, string][] = [
    ['skill', `${skill.name} (${shown(skill.path)})`],
    ['suite', shown(suite)],
    ['split', split.scope],
    [
      'engine',
      `${[engine.name, engine.model].filter((one) => one !== null).join(':')}; judge: ${judge === null ? 'none needed' : `${judge.name}:${judge.model}`}`,
    ],
    ['results', shown(workspace)],
    [
      'screening',
      `${formatPlural(screening_runs, 'run')} of ${variants} versions without half of ${formatPlural(units, 'unit')}: a unit without an effect is dropped in ${percentText(drop_power)} of sessions (one at a time: ${leave_one_out_runs} runs)`,
    ],
    [
      'decision',
      `at most ${formatPlural(certification_runs, 'run')} on held-out cases: a loss of ${Math.round(100 * margin)} points must be ruled out, and the cost be lower; fewer if the screening shows that fewer do`,
    ],
    [
      'estimate',
      `${cost(estimate.usd)}, ${time} with ${concurrency} at once (${from}); the screening alone ${cost(estimate.screening_usd)}`,
    ],
  ]
  return [
    ...rows.flatMap(([label, text]) => wrapText(`${label.padEnd(10)}${text}`, width)),
    ...commandLines(forecast.commands, forecast.confined),
    '',
    ...priceLines(forecast),
    '',
    ...unitLines(forecast),
  ]
}

/** What smaller units and other margins would take. */
function priceLines({ prices, margins, plan }: PruneForecast): string[] {
  const detects = prices.map((one) => [
    `--detect ${Math.round(100 * one.detect)}`,
    String(one.screening_runs),
    cost(one.usd),
    one.detect > plan.detect ? '' : percentText(one.dropped_wrongly),
  ])
  const sizes = margins.map((one) => [
    `--margin ${Math.round(100 * one.margin)}`,
    String(one.certification_runs),
    cost(one.usd),
    '',
  ])
  return alignColumns([['size', 'runs', 'dollars', 'of these dropped'], ...detects, ...sizes], [1, 2, 3])
}

function unitLines({ units }: PruneForecast): string[] {
  const rows = units.map(({ kind, label, lines, characters, protected: isProtected }) => [
    isProtected ? 'protected' : kind,
    lines.map(({ start, end }) => (start === end ? String(start) : `${start}-${end}`)).join(', '),
    String(characters),
    oneLine(label, 60),
  ])
  return alignColumns([['unit', 'lines', 'characters', ''], ...rows], [2])
}

function cost(usd: number | null): string {
  return usd === null ? 'unknown cost' : dollarsText(usd)
}

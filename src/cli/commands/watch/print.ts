/** Prints a watch; returns the exit code: 1 with an alarm. */
import path from 'node:path'
import { jsonText } from '../../../base/json/json_text.ts'
import { typedCommand } from '../../../base/typed_command.ts'
import type { WatchForecast } from '../../../flows/watch/dry_run.ts'
import type { WatchResult } from '../../../flows/watch/watch_request.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { watchAbout, watchHeadline, watchTable } from '../../../phases/4-report/trend/watch_text.ts'
import { toExitCode } from '../../error_code.ts'
import { exitCodes } from '../../exit_codes.ts'
import { sayError } from '../../print_error.ts'
import {
  alignColumns,
  colours,
  dollarsText,
  percentText,
  textWidth,
  toSafeLine,
  wrapText,
} from '../../terminal/style.ts'

/** Rows of the table on a terminal; the page has all. */
const shownNights = 10

export function showWatch(result: WatchResult, { json }: { json: boolean }): number {
  const { watch } = result
  const code = watch.status === 'alarm' ? exitCodes.gateFailed : exitCodes.done
  if (json) process.stdout.write(`${jsonText({ type: 'result', exit_code: code, ...result })}\n`)
  else process.stdout.write(`${watchLines(result).join('\n')}\n`)
  return code
}

function watchLines({ baseline, watch, page, did }: WatchResult): string[] {
  const { bold, dim, red } = colours(process.stdout)
  const width = textWidth(process.stdout)
  const isAlarm = watch.status === 'alarm'
  const { header, rows } = watchTable(watch)
  const table = rows.length === 0 ? [] : ['', ...alignColumns([header, ...rows.slice(0, shownNights)])]
  const hidden = rows.length - shownNights
  return [
    ...wrapText(watchHeadline(baseline, watch), width).map((line) => (isAlarm ? red(bold(line)) : bold(line))),
    ...wrapText(watchAbout(baseline, watch), width).map((line) => dim(line)),
    ...table.map(toSafeLine),
    ...(hidden > 0 ? [dim(`${formatPlural(hidden, 'earlier night')} on the page`)] : []),
    '',
    ...(isAlarm ? alarmLines(did) : []),
    dim(toSafeLine(`page: ${path.relative(process.cwd(), page)}`)),
  ]
}

function alarmLines(did: WatchResult['did']): string[] {
  const again = did === 'nothing' ? ['Nothing was run: the alarm is not dismissed.'] : []
  return [
    ...again,
    `When its cause is fixed: ${typedCommand()} watch … --dismiss fixed. If it was false: --dismiss false.`,
    'To keep the new level as the baseline: --rebaseline.',
  ]
}

export function showWatchForecast(forecast: WatchForecast, { json }: { json: boolean }): number {
  const { refusals, ...shown } = forecast
  const lines = json
    ? [jsonText({ dry_run: true, ...shown, refusal: refusals[0]?.message ?? null })]
    : forecastLines(forecast)
  process.stdout.write(`${lines.join('\n')}\n`)
  for (const reason of refusals) sayError(reason, { json: false, goesOn: null })
  const [first] = refusals
  return first === undefined ? exitCodes.done : toExitCode(first)
}

function forecastLines({
  skill,
  cases,
  folder,
  next,
  baseline,
  night,
  from_runs: from,
  chance,
}: WatchForecast): string[] {
  const width = textWidth(process.stdout)
  const source = from === 0 ? 'no earlier run in the workspace' : `from ${formatPlural(from, 'earlier run')}`
  const does = { baseline: 'the baseline', night: 'a night', nothing: 'nothing: there is an alarm' }[next]
  const rows: [string, string][] = [
    ['skill', `${skill}, ${formatPlural(cases, 'case')}`],
    ['results', path.relative(process.cwd(), folder)],
    ['next', does],
    ...(baseline === null
      ? []
      : [['baseline', `${formatPlural(baseline.runs, 'run')}, ${money(baseline.usd)}`] satisfies [string, string]]),
    [
      'night',
      `${formatPlural(night.runs, 'run')}, ${money(night.usd)}; ${money(night.month_usd)} per month of 30 nights (${source})`,
    ],
    [
      'finds',
      `a fall of ${Math.round(100 * chance.fall)} points from ${percentText(chance.from)} within 7 nights with probability ${chance.nights_7.toFixed(2)}, within 14 with ${chance.nights_14.toFixed(2)} (200 simulations)`,
    ],
  ]
  return rows.flatMap(([label, text]) => wrapText(`${label.padEnd(10)}${text}`, width)).map(toSafeLine)
}

function money(usd: number | null): string {
  return usd === null ? 'unknown cost' : dollarsText(usd)
}

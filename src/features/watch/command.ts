/** `whetstone watch`: alarms when the level of a skill falls. One call is one night. */
import path from 'node:path'
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { UserError } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { typedCommand } from '../../base/package_root.ts'
import { estimateSource } from '../../cli/commands/bench/print_plans.ts'
import { readSkillRunSettings } from '../../cli/commands/bench/run_settings.ts'
import { type SetExitCode, withFlow, withJson } from '../../cli/commands/options/run_flow.ts'
import { applyConfig, locateSkillConfig } from '../../cli/config/configured_command.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { groupOptions } from '../../cli/help/option_groups.ts'
import { sayError, toExitCode } from '../../cli/print_error.ts'
import { resumeWays } from '../../cli/terminal/interrupt.ts'
import {
  alignColumns,
  colours,
  dollarsText,
  percentText,
  textWidth,
  toSafeLine,
  wrapText,
} from '../../cli/terminal/style.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import type { WatchForecast } from './dry_run.ts'
import { watchFlags } from './options.ts'
import type { WatchRequest, WatchResult } from './watch_request.ts'
import { watchAbout, watchHeadline, watchTable } from './watch_text.ts'

function watchOptions(args: Argv) {
  return withJson(args)
    .positional('skill', { type: 'string', demandOption: true, describe: 'folder with SKILL.md' })
    .options(watchFlags)
    .usage(
      '$0 watch <skill> [options]\n\nAlarm when the level of a skill falls. The first call runs a baseline; each later call is a night of a few fresh runs.\n\nExit code 1 is an alarm, 3 a night without a result.',
    )
    .example('$0 watch skills/pdf --dry-run', 'dollars per night and month')
    .example('$0 watch skills/pdf --runs-per-night 12', 'the baseline, later a night')
    .example('$0 watch skills/pdf --status', 'the nights so far')
}

type WatchArguments = ArgumentsCamelCase<ReturnType<typeof watchOptions> extends Argv<infer T> ? T : never>

function buildWatchRequest(parsed: WatchArguments): WatchRequest {
  const { skill, runsPerNight, baselineRuns, quietNights, detect, rebaseline, dismiss } = parsed
  return {
    ...{ skill, runsPerNight, baselineRuns, rebaseline },
    quietNights: quietNights ?? null,
    detect: detect ?? null,
    dismiss: dismiss ?? null,
    bench: readSkillRunSettings(parsed),
  }
}

/** Throws UserError for flags that exclude each other. */
function refuseMixtures({ status, dryRun, rebaseline, dismiss }: WatchArguments): void {
  const given = Object.entries({ '--status': status, '--dry-run': dryRun, '--dismiss': dismiss !== undefined }).flatMap(
    ([flag, is]) => (is ? [flag] : []),
  )
  if (given.length > 1) throw new UserError(given.join(' with '), 'use one of them')
  if (rebaseline && (status || dismiss !== undefined))
    throw new UserError(`--rebaseline with ${given[0]}`, 'remove one of them')
}

const usage = 'watch <skill>'

export function addWatch(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  return args.command(
    usage,
    'alarm when the level falls',
    (one) => groupOptions(watchOptions(one), watchFlags, argv),
    async (given) => {
      const request = { command: 'watch', usage, options: watchOptions, argv, args: given } as const
      const folder = await locateSkillConfig(given.skill, given.suite)
      const parsed = await applyConfig(given.skill, { ...request, start: folder })
      if (parsed === null) return done(exitCodes.done)
      refuseMixtures(parsed)
      done(await start(buildWatchRequest(parsed), parsed))
    },
  )
}

async function start(request: WatchRequest, { json, status, dryRun, maxWait }: WatchArguments): Promise<number> {
  const { concurrency, limits } = request.bench
  if (dryRun) {
    const { forecastWatch } = await import('./dry_run.ts')
    const { result } = await withFlow({ json, oneDocument: true, concurrency }, (context) =>
      forecastWatch(request, context),
    )
    return showWatchForecast(result, { json })
  }
  const flow = await import('./watch.ts')
  if (status) {
    const { result } = await withFlow({ json, oneDocument: true, concurrency }, (context) =>
      flow.readWatchStatus(request, context),
    )
    return showWatch(result, { json })
  }
  const how = { json, concurrency, goesOn: resumeWays.same, waits: { maxWait, limits } }
  const { result } = await withFlow(how, (context) => flow.watch(request, context))
  return showWatch(result, { json })
}

/** Rows of the table on a terminal; the page has all. */
const shownNights = 10

function showWatch(result: WatchResult, { json }: { json: boolean }): number {
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

function showWatchForecast(forecast: WatchForecast, { json }: { json: boolean }): number {
  const { refusals, ...shown } = forecast
  const lines = json
    ? [jsonText({ dry_run: true, ...shown, refusal: refusals[0]?.message ?? null })]
    : forecastLines(forecast)
  process.stdout.write(`${lines.join('\n')}\n`)
  for (const reason of refusals) sayError(reason, { json: false, goesOn: null })
  const [first] = refusals
  return first === undefined ? exitCodes.done : toExitCode(first)
}

function forecastLines({ skill, cases, folder, next, baseline, night, from_runs, chance }: WatchForecast): string[] {
  const width = textWidth(process.stdout)
  const does = { baseline: 'the baseline', night: 'a night', nothing: 'nothing: there is an alarm' }[next]
  const rows: [string, string][] = [
    ['skill', `${skill}, ${formatPlural(cases, 'case')}`],
    ['results', path.relative(process.cwd(), folder)],
    ['next', does],
    ...(baseline === null
      ? []
      : [
          ['baseline', `${formatPlural(baseline.runs, 'run')}, ${dollarsText(baseline.usd)}`] satisfies [
            string,
            string,
          ],
        ]),
    [
      'night',
      `${formatPlural(night.runs, 'run')}, ${dollarsText(night.usd)}; ${dollarsText(night.month_usd)} per month of 30 nights (a night ${estimateSource({ usd: night.usd, from_runs })})`,
    ],
    [
      'finds',
      `a fall of ${Math.round(100 * chance.fall)} points from ${percentText(chance.from)} within 7 nights with probability ${chance.nights_7.toFixed(2)}, within 14 with ${chance.nights_14.toFixed(2)} (200 simulations)`,
    ],
  ]
  return rows.flatMap(([label, text]) => wrapText(`${label.padEnd(10)}${text}`, width)).map(toSafeLine)
}

/** `whetstone watch`: alarms when the level of a skill falls. One call is one night. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import type { WatchRequest } from '../../../flows/watch/watch_request.ts'
import { configureCommand } from '../../config/configure.ts'
import { announceConfig } from '../../config/report_config.ts'
import { exitCodes } from '../../exit_codes.ts'
import { groupOptions } from '../../help/option_groups.ts'
import { resumeWays } from '../../terminal/interrupt.ts'
import { readSkillRunSettings } from '../bench/run_settings.ts'
import { locateSkillConfig } from '../bench/settings.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'
import { watchFlags } from './options.ts'
import { showWatch, showWatchForecast } from './print.ts'

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
    (one) => groupOptions(watchOptions(one), argv),
    async (given) => {
      const request = { command: 'watch', usage, options: watchOptions, argv, args: given } as const
      const found = await configureCommand({ ...request, start: await locateSkillConfig(given.skill, given.suite) })
      const parsed = await announceConfig({ of: given.skill, configured: found }, given)
      if (parsed === null) return done(exitCodes.done)
      refuseMixtures(parsed)
      done(await start(buildWatchRequest(parsed), parsed))
    },
  )
}

async function start(request: WatchRequest, { json, status, dryRun, maxWait }: WatchArguments): Promise<number> {
  const { concurrency, limits } = request.bench
  if (dryRun) {
    const { forecastWatch } = await import('../../../flows/watch/dry_run.ts')
    const { result } = await withFlow({ json, oneDocument: true, concurrency }, (context) =>
      forecastWatch(request, context),
    )
    return showWatchForecast(result, { json })
  }
  const flow = await import('../../../flows/watch/watch.ts')
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

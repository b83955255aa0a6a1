/** `whetstone prune`: what each unit of a skill changes and costs, and whether it is as good without the others. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { UserError } from '../../base/errors/error.ts'
import { readSkillRunSettings } from '../../cli/commands/bench/run_settings.ts'
import { addRemoteFlags, openRemote } from '../../cli/commands/options/remote_flags.ts'
import { type SetExitCode, withFlow, withJson } from '../../cli/commands/options/run_flow.ts'
import { applyConfig, locateSkillConfig } from '../../cli/config/configured_command.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { groupOptions } from '../../cli/help/option_groups.ts'
import { canAnswer } from '../../cli/terminal/question.ts'
import type { PruneRequest } from './open_prune.ts'
import { pruneFlags } from './options.ts'

function pruneOptions(args: Argv) {
  return addRemoteFlags(withJson(args))
    .positional('skill', { type: 'string', demandOption: true, describe: 'folder with SKILL.md' })
    .options(pruneFlags)
    .usage(
      '$0 prune <skill> [options]\n\nFind out what each part of a skill is worth, and keep a shorter skill that is as good.\n\nRuns on training cases each leave out half of the sections, list items, references and scripts. What shows no effect goes; fresh runs on held-out cases decide whether the shorter skill is as good and cheaper. Only --apply changes the skill.',
    )
    .example('$0 prune skills/pdf --dry-run', 'the units, runs and dollars; runs nothing')
    .example('$0 prune skills/pdf --margin 10 --budget 40', 'a larger margin takes fewer runs')
    .example('$0 prune skills/pdf --protect "## Safety" --apply', 'keep a section, replace the skill')
}

type PruneArguments = ReturnType<typeof pruneOptions> extends Argv<infer T> ? T : never

function buildPruneRequest(parsed: ArgumentsCamelCase<PruneArguments>): PruneRequest {
  const { skill, protect, detect, margin, seed, useDrafts } = parsed
  return {
    ...{ skill, protect, detect, margin, seed, useDrafts, applies: parsed.apply },
    screeningRuns: parsed.screeningRuns ?? null,
    certificationRuns: parsed.certifyRuns ?? null,
    bench: { ...readSkillRunSettings(parsed), remote: openRemote(parsed, process.env) },
  }
}

const usage = 'prune <skill>'

export function addPrune(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  return args.command(
    usage,
    'a shorter skill that is as good',
    (one) => groupOptions(pruneOptions(one), pruneFlags, argv),
    async (given) => {
      const request = { command: 'prune', usage, options: pruneOptions, argv, args: given } as const
      const folder = await locateSkillConfig(given.skill, given.suite)
      const parsed = await applyConfig(given.skill, { ...request, start: folder })
      if (parsed === null) return done(exitCodes.done)
      const { json, apply, yes } = parsed
      if (apply && !yes && !parsed.dryRun && !canAnswer({ json, yes })) {
        throw new UserError(
          '--apply: cannot ask for confirmation (stdin is not a terminal)',
          'add --yes, or apply later: the same command with --apply runs nothing again',
        )
      }
      done(await (parsed.dryRun ? dryRun(parsed) : start(parsed)))
    },
  )
}

/** Returns the exit code. */
async function start(parsed: ArgumentsCamelCase<PruneArguments>): Promise<number> {
  const { prune } = await import('./prune.ts')
  const { showPrune } = await import('./print.ts')
  const request = buildPruneRequest(parsed)
  const { json, concurrency, maxWait, apply, yes } = parsed
  const { result, interrupted } = await withFlow(
    { json, concurrency, waits: { maxWait, limits: request.bench.limits } },
    (context) => prune(request, context),
  )
  const isShorter = result.prune.certification?.result === 'kept_shorter'
  if (!apply || !isShorter) return showPrune(result, { json, interrupted, toBeApplied: apply })
  const { applyPruned } = await import('./apply_to_skill.ts')
  const code = json ? null : showPrune(result, { json, interrupted, toBeApplied: apply })
  await applyPruned(result, { skill: request.skill, json, yes })
  // the result line comes last
  return code ?? showPrune(result, { json, interrupted, toBeApplied: apply })
}

/** Returns the exit code. */
async function dryRun(parsed: ArgumentsCamelCase<PruneArguments>): Promise<number> {
  const { forecastPrune } = await import('./dry_run.ts')
  const { showPruneForecast } = await import('./print.ts')
  const { json, concurrency } = parsed
  const { result } = await withFlow({ json, oneDocument: true, concurrency }, (context) =>
    forecastPrune(buildPruneRequest(parsed), context),
  )
  showPruneForecast(result, { json })
  return exitCodes.done
}

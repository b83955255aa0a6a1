/** `whetstone improve`: finds a better version of a skill, and certifies it once on cases that no proposer has seen. */
import path from 'node:path'
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { typedCommand } from '../../../base/package_root.ts'
import type { ImproveRequest, ReviewBenchmark } from '../../../flows/improve/improve_request.ts'
import { applyConfig, locateSkillConfig } from '../../config/configured_command.ts'
import { exitCodes } from '../../exit_codes.ts'
import { groupOptions } from '../../help/option_groups.ts'
import { resumeWays } from '../../terminal/interrupt.ts'
import { askLine, canAnswer } from '../../terminal/question.ts'
import { toSafeLine } from '../../terminal/style.ts'
import { readSkillRunSettings } from '../bench/run_settings.ts'
import { nextAfterGrowth, showInit } from '../init/print.ts'
import { addModeOptions, chooseMode, isFlag, modeFlags } from '../options/modes.ts'
import { addRemoteFlags, openRemote } from '../options/remote_flags.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'
import { improveFlags } from './options.ts'

export function improveOptions(args: Argv) {
  const options = addRemoteFlags(withJson(args))
    .positional('skill', { type: 'string', demandOption: true, describe: 'folder with SKILL.md' })
    .options(improveFlags)
    .usage(
      '$0 improve <skill> [options]\n\nFind a better version of a skill, tested on unseen cases.\n\nModels edit copies of the skill by what failed on training cases. The edits are tried in mixes; fresh runs on held-out cases certify the result once. Only --apply changes the skill.',
    )
    .example('$0 improve skills/pdf --budget 20', 'at most 20 dollars')
    .example('$0 improve skills/pdf --dry-run', 'cost, time and chances; runs nothing')
    .example('$0 improve skills/pdf --resume --apply', 'replace the skill with the best version')
  return addModeOptions(options, 'improve')
}

export type ImproveArguments = ReturnType<typeof improveOptions> extends Argv<infer T> ? T : never

export function buildImproveRequest(
  parsed: ArgumentsCamelCase<ImproveArguments>,
): Omit<ImproveRequest, 'review' | 'nobodyConfirms'> {
  const { skill, totalRuns, goal, seed, resume, proposeTimeout, useDrafts, confirmOn } = parsed
  return {
    ...{ skill, totalRuns, goal, seed, resume, proposeTimeout, useDrafts, confirmOn },
    branch: parsed.branch ?? null,
    certifyJudge: parsed.certifyJudge ?? null,
    margins: { cost: parsed.maxCostIncrease, time: parsed.maxTimeIncrease, loss: parsed.maxLoss },
    proposer: parsed.proposer ?? null,
    bench: { ...readSkillRunSettings(parsed), remote: openRemote(parsed, process.env) },
  }
}

/** Throws UserError for flags that exclude each other, or that would be ignored. `mode`: the flag of one that was chosen. */
function refuseMixtures(
  { growSuite, ...parsed }: ArgumentsCamelCase<ImproveArguments>,
  { argv, mode }: { argv: readonly string[]; mode: string | null },
): void {
  const { resume, apply, review, useDrafts, dryRun, branch } = parsed
  if (parsed.goal !== 'cheaper' && argv.some((one) => isFlag(one, 'max-loss'))) {
    throw new UserError('--max-loss without --goal cheaper', 'add --goal cheaper, or remove --max-loss')
  }
  if (!growSuite) return
  const others = { resume, apply, review, 'use-drafts': useDrafts, 'dry-run': dryRun, branch }
  const names = [...Object.entries(others).flatMap(([flag, value]) => (value ? [flag] : [])), ...(mode ? [mode] : [])]
  if (names.length > 0)
    throw new UserError(`--grow-suite with --${names.join(', --')}`, 'use --grow-suite alone (it runs nothing)')
}

/** Returns the exit code. */
async function grow(request: ImproveRequest, { json, maxWait }: { json: boolean; maxWait: string }): Promise<number> {
  const { growSuite } = await import('../../../flows/improve/grow_suite.ts')
  const { result, interrupted } = await withFlow({ json, concurrency: 1, waits: { maxWait } }, (context) =>
    growSuite(request, context),
  )
  return showInit(result, { json, interrupted, next: nextAfterGrowth(request.skill, result) })
}

const usage = 'improve <skill>'

export function addImprove(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  return args.command(
    usage,
    'better versions, tested on held-out cases',
    (one) => groupOptions(improveOptions(one), { ...improveFlags, ...modeFlags('improve') }, argv),
    async (given) => {
      const asked = { command: 'improve', usage, options: improveOptions, argv, args: given } as const
      const folder = await locateSkillConfig(given.skill, given.suite)
      const parsed = await applyConfig(given.skill, { ...asked, start: folder })
      if (parsed === null) return done(exitCodes.done)
      const chosen = chooseMode('improve', given, argv)
      refuseMixtures(parsed, { argv, mode: chosen?.mode.flag ?? null })
      if (parsed.growSuite) return done(await grow({ ...buildImproveRequest(parsed), review: null }, parsed))
      if (chosen !== null) return done(await chosen.mode.start(parsed as never, given as never))
      done(await startImprove(buildImproveRequest(parsed), parsed))
    },
  )
}

/** The session, or with --dry-run what it would do. Returns the exit code. */
export async function startImprove(
  asked: ReturnType<typeof buildImproveRequest>,
  parsed: ArgumentsCamelCase<ImproveArguments>,
): Promise<number> {
  const { json, apply, yes } = parsed
  const review = parsed.review ? createReviewer() : null
  const nobodyConfirms = apply && !yes && !canAnswer({ json, yes })
  const request = { ...asked, review, nobodyConfirms }
  return await (parsed.dryRun ? dryRun(request, parsed) : start(request, parsed))
}

/** Returns the exit code. */
async function start(
  request: ImproveRequest,
  { json, apply, yes, maxWait }: { json: boolean; apply: boolean; yes: boolean; maxWait: string },
): Promise<number> {
  const { improve } = await import('../../../flows/improve/improve.ts')
  const { applyBest, commitBest, showImprove } = await import('./print.ts')
  const { skill, branch: name = null } = request
  const { concurrency, limits } = request.bench
  const { result, interrupted } = await withFlow(
    { json, concurrency, goesOn: resumeWays.withResume, waits: { maxWait, limits } },
    (context) => improve(request, context),
  )
  const how = { json, interrupted, toBeApplied: apply }
  const isOver = result.history.ended_at !== undefined
  const commit = async () => (name === null || !isOver ? null : await commitBest(result, { skill, name, json }))
  const replace = async () => (apply && isOver ? await applyBest(result, { skill, json, yes }) : exitCodes.done)
  if (json) {
    // the result line comes last and includes the outcome
    const branch = await commit()
    await replace()
    return showImprove(result, { ...how, branch })
  }
  const code = showImprove(result, how)
  await commit()
  return code || (await replace())
}

/** Returns the exit code. */
async function dryRun(request: ImproveRequest, { json }: { json: boolean }): Promise<number> {
  const { forecastSession } = await import('../../../flows/improve/dry_run.ts')
  const { showDryRun } = await import('./print_dry_run.ts')
  const how = { json, oneDocument: true, concurrency: request.bench.concurrency }
  const { result } = await withFlow(how, (context) => forecastSession(request, context))
  showDryRun(result, { json })
  return exitCodes.done
}

/** Resolves when the reader continues. The next proposers read the feedback in feedback.json next to the page. */
const waitForReview: ReviewBenchmark = async ({ folder, cases }) => {
  const shown = toSafeLine(path.relative(process.cwd(), folder) || '.')
  process.stderr.write(
    `review: ${typedCommand()} view ${shown} --serve shows it and writes ${shown}/feedback.json;\nthe next proposers read what you say about runs of cases ${cases.join(', ')}\n`,
  )
  await askLine('Press Enter to continue with the next round. ', 'stopped; continue with the same command and --resume')
}

/** Throws UserError before any paid call if nobody can press Enter. */
function createReviewer(): ReviewBenchmark {
  if (process.stdin.isTTY) return waitForReview
  throw new UserError('--review: stdin is not a terminal', 'run it in a terminal, or remove --review')
}

/** `whetstone improve`: better versions of a skill, each kept only where it wins on cases that its author has not seen. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { UserError } from '../../base/error.ts'
import type { ImproveRequest } from '../../flows/improve/request.ts'
import { exitCodes } from '../exit.ts'
import { ways } from '../interrupt.ts'
import { startDescription } from './description_flags.ts'
import { improveFlags } from './improve_flags.ts'
import { judgingWish } from './judge_flags.ts'
import { limitsOf } from './limit_flags.ts'
import { queueWish } from './queue_flags.ts'
import { sandboxWish } from './sandbox_flags.ts'
import { type Done, withFlow, withJson } from './shared.ts'

function improveOptions(args: Argv) {
  return withJson(args)
    .positional('skill', { type: 'string', demandOption: true, describe: 'the folder that holds SKILL.md' })
    .options(improveFlags)
    .usage(
      '$0 improve <skill> [options]\n\nbetter versions of a skill, proven on cases they have not seen\n\nSplits the suite, has a model edit copies of the skill by what failed on the training cases,\nand keeps a version only if it beats the best so far in paired fresh runs on other cases.\nWrites history.json and versions/; the skill itself changes only with --apply.',
    )
    .example('$0 improve skills/pdf --budget 20', 'five proposals, at most 20 dollars')
    .example('$0 improve skills/pdf --runs 10 --proposer anthropic:opus', 'surer verdicts, a stronger author')
    .example('$0 improve skills/pdf --resume', 'after an interruption')
    .example('$0 improve skills/pdf --description --among skills', 'the description alone, with other skills beside it')
    .example('$0 improve skills/pdf --grow-suite', 'too few cases: have some drafted, for your review')
    .example('$0 improve skills/pdf --resume --apply', 'put what it found in place of the skill')
}

type ImproveArguments = ReturnType<typeof improveOptions> extends Argv<infer T> ? T : never

function requestOf(parsed: ArgumentsCamelCase<ImproveArguments>): Omit<ImproveRequest, 'review' | 'nobodyConfirms'> {
  const { skill, iterations, trainRuns, runs, testRuns, seed, resume, proposeTimeout, useDrafts } = parsed
  const { concurrency, activation, retries, onTimeout, passEnv, engine } = parsed
  return {
    ...{ skill, iterations, trainRuns, seed, resume, proposeTimeout, useDrafts },
    validationRuns: runs ?? null,
    testRuns: testRuns ?? null,
    margins: { cost: parsed.maxCostIncrease, time: parsed.maxTimeIncrease },
    proposer: parsed.proposer ?? null,
    bench: {
      ...{ engine, concurrency, activation, retries, onTimeout, passEnv },
      suite: parsed.suite ?? null,
      model: parsed.model ?? null,
      judge: parsed.judge ?? null,
      baseUrl: parsed.baseUrl ?? null,
      judging: judgingWish(parsed),
      timeoutSeconds: parsed.timeout ?? null,
      maxTurns: parsed.maxTurns ?? null,
      pace: { idleMs: parsed.idleTimeout * 1000 },
      workspace: parsed.workspace ?? null,
      limits: limitsOf(parsed),
      sandbox: sandboxWish(parsed),
      queue: queueWish(parsed, process.env),
    },
  }
}

/** With what a configuration file adds; null after --print-config. */
async function configured(given: ArgumentsCamelCase<ImproveArguments>, argv: readonly string[]) {
  const [{ configure }, { announced }, { whereOf }] = await Promise.all([
    import('../config/configure.ts'),
    import('../config/announce.ts'),
    import('./bench_settings.ts'),
  ])
  const { skill } = given
  const request = { command: 'improve', usage, options: improveOptions, argv, args: given } as const
  const found = await configure({ ...request, ...(await whereOf(skill, given.suite)) })
  return await announced({ of: skill, configured: found }, given)
}

/** Throws UserError for flags that can't be meant together, or that nothing would read. */
function refuseMixtures({ growSuite, ...parsed }: ArgumentsCamelCase<ImproveArguments>, argv: readonly string[]): void {
  const unread = parsed.description ? [] : ofDescription.filter((flag) => argv.some((one) => isFlag(one, flag)))
  if (unread.length > 0) {
    throw new UserError(
      `--${unread.join(', --')} without --description`,
      'trigger queries are for --description: add it',
    )
  }
  if (!growSuite) return
  const { resume, apply, review, description, useDrafts } = parsed
  const others = { resume, apply, review, description, 'use-drafts': useDrafts }
  const given = Object.entries(others).flatMap(([flag, value]) => (value ? [`--${flag}`] : []))
  if (given.length > 0) throw new UserError(`--grow-suite with ${given.join(', ')}`, 'it runs nothing: give it alone')
}

const ofDescription = ['set', 'among', 'threshold']

function isFlag(given: string, flag: string): boolean {
  return given === `--${flag}` || given.startsWith(`--${flag}=`)
}

/** Gives the exit code. */
async function grow(request: ImproveRequest, { json }: { json: boolean }): Promise<number> {
  const [{ growSuite }, show] = await Promise.all([
    import('../../flows/improve/grow_suite.ts'),
    import('../show_init.ts'),
  ])
  const { result, interrupted } = await withFlow({ json, concurrency: 1 }, (context) => growSuite(request, context))
  return show.showInit(result, { json, interrupted, next: show.nextAfterGrowth(request.skill, result) })
}

const usage = 'improve <skill>'

export function addImprove(args: Argv, done: Done, argv: readonly string[]): Argv {
  return args.command(usage, 'better versions, proven on unseen cases', improveOptions, async (given) => {
    const parsed = await configured(given, argv)
    if (parsed === null) return done(exitCodes.done)
    refuseMixtures(parsed, argv)
    if (parsed.growSuite) return done(await grow({ ...requestOf(parsed), review: null }, parsed))
    if (parsed.description) return done(await startDescription(parsed))
    const [{ improve }, show] = await Promise.all([
      import('../../flows/improve/improve.ts'),
      import('../show_improve.ts'),
    ])
    const { json, concurrency, apply, yes } = parsed
    const review = parsed.review ? (await import('../review.ts')).reviewer() : null
    const { canAnswer } = await import('../ask_first.ts')
    const nobodyConfirms = apply && !yes && !canAnswer({ json, yes })
    const request = { ...requestOf(parsed), review, nobodyConfirms }
    const { result, interrupted } = await withFlow({ json, concurrency, goesOn: ways.withResume }, (context) =>
      improve(request, context),
    )
    const tell = () => show.showImprove(result, { json, interrupted, toBeApplied: apply })
    if (!apply || result.history.ended_at === undefined) return done(tell())
    const { applyBest } = await import('../apply_best.ts')
    const applied = () => applyBest(result, { skill: parsed.skill, json, yes })
    // a result line is the last one, and says how it all ended
    if (json) done(await applied().then(tell))
    else done(tell() || (await applied()))
  })
}

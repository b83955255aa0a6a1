/** `whetstone bench`: tests whether a skill helps. */
import path from 'node:path'
import type { Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import type { EstimatedPlan } from '../../../flows/bench/plan_with_estimate.ts'
import type { RerunRequest } from '../../../flows/bench/rerun.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { Limits } from '../../../flows/limits/limits.ts'
import type { BenchRequest } from '../../../flows/prepare/prepare_bench.ts'
import { planRules } from '../../../phases/1-plan/check/rules/plan_rules.ts'
import { emptyShard } from '../../../phases/1-plan/plan/select_shard.ts'
import { printConfig, settingsLines } from '../../config/print_config.ts'
import { exitCodes } from '../../exit_codes.ts'
import { groupOptions } from '../../help/option_groups.ts'
import { readChosenPrices } from '../../prices_file.ts'
import { readPipeline } from '../../reporters/gates.ts'
import { chooseResumeWay, InterruptedError } from '../../terminal/interrupt.ts'
import { askYesNo, canAnswer } from '../../terminal/question.ts'
import { dollarsText, durationText } from '../../terminal/style.ts'
import { refuseUntilMixtures } from '../options/design_flags.ts'
import { isFixedDeadline, parseLimits } from '../options/limit_flags.ts'
import { type SetExitCode, withFlow } from '../options/run_flow.ts'
import {
  allowNothing,
  listBenchedSkills,
  readSkillSettings,
  type SkillSettings,
  sayNothingToDo,
} from './listed_skills.ts'
import { benchFlags } from './options.ts'
import { type BenchArguments, benchOptions, buildBenchRequest } from './request.ts'
import { type BenchManyRequest, type BenchOutput, loadSeveralBenches, type PlanOne } from './several.ts'

/** Adds the command; `done` receives its exit code. */
export function addBench(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  return args.command(
    'bench <skill..>',
    'does the skill help? with and without it',
    (one) => groupOptions(benchOptions(one), benchFlags, argv),
    async (parsed) => {
      done(await start(parsed, argv))
    },
  )
}

/** Throws UserError for flags that exclude each other. */
function refuseMixtures(asked: BenchArguments): void {
  const { rerun, skill, matrix, wholePlugin, alone, lastFailed, dryRun, explain, fresh, calibrate } = asked
  const { changed, shard, case: cases, name, description } = asked
  if (explain && !dryRun) throw new UserError('--explain without --dry-run', 'add --dry-run')
  if (calibrate && lastFailed)
    throw new UserError('--calibrate with --last-failed', 'use --case instead of --last-failed')
  if (lastFailed && (wholePlugin || alone))
    throw new UserError(
      `--last-failed with ${wholePlugin ? '--whole-plugin' : '--alone'}`,
      'use --case instead of --last-failed',
    )
  if ((name !== undefined || description !== undefined) && skill.length > 1)
    throw new UserError(`--${name === undefined ? 'description' : 'name'} with several skills`, 'bench them one by one')
  if (rerun === undefined) return
  const others = {
    '--matrix': matrix,
    '--whole-plugin': wholePlugin,
    '--alone': alone,
    '--last-failed': lastFailed,
    '--changed': changed,
    '--shard': shard,
    '--dry-run': dryRun,
    '--fresh': fresh,
    '--calibrate': calibrate,
  }
  const given = [
    ...Object.entries(others).flatMap(([flag, value]) => (value ? [flag] : [])),
    ...(cases.length > 0 ? ['--case'] : []),
    ...(skill.length > 1 ? ['several skills'] : []),
  ]
  if (given.length > 0)
    throw new UserError(
      `--rerun with ${given.join(', ')}`,
      'remove the other options: --rerun repeats one run of one skill',
    )
}

async function start(asked: BenchArguments, argv: readonly string[]): Promise<number> {
  const { skills: listed, wholePlugin } = await listBenchedSkills(asked)
  if (listed.length === 0) return sayNothingToDo(`No skill changed since ${asked.changed}: nothing to do.`, asked.json)
  const work = () => startListed({ ...asked, skill: listed, wholePlugin }, argv)
  const allowed = [
    ...(asked.changed === undefined ? [] : [planRules.sameVersions.id]),
    ...(asked.shard === undefined ? [] : [emptyShard]),
  ]
  return allowNothing(work, allowed, asked.json)
}

async function startListed(given: BenchArguments, argv: readonly string[]): Promise<number> {
  refuseMixtures(given)
  const ofSkills = await readSkillSettings({ argv, options: benchOptions, args: given })
  const parsed = ofSkills[0]?.configured.args ?? given
  for (const { configured } of ofSkills) refuseUntilMixtures(configured.args, explicitKeys(configured))
  if (given.printConfig) return printSettings(ofSkills, given.json)
  const pipeline = await readPipeline(parsed)
  const goesOn = chooseResumeWay(parsed.fresh)
  if (!given.json) saySettings(ofSkills)
  const request = buildBenchRequest(parsed)
  const waits = { maxWait: parsed.maxWait, limits: request.limits }
  const hasFixedDeadline = parsed.deadline !== undefined && isFixedDeadline(parsed.deadline)
  const output = { json: parsed.json, goesOn, waits, hasFixedDeadline, ...pipeline }
  const { matrix = null, alone, json, dryRun, lastFailed, explain } = parsed
  const wholePlugin = given.wholePlugin || parsed.wholePlugin
  const skills = given.skill
  const [skill = '', ...others] = skills
  const each = new Map(ofSkills.map((one) => [path.resolve(one.skill), buildBenchRequest(one.configured.args)]))
  const many = { ...request, skills, matrix, each, wholePlugin, alone }
  const isSeveral = others.length > 0 || matrix !== null || wholePlugin || alone
  if (!dryRun && parsed.rerun === undefined) await askIfDear(parsed, isSeveral ? many : { ...request, skill })
  if (parsed.rerun !== undefined)
    return rerunAndShow({ ...request, skill, run: parsed.rerun }, { json, waits, ...pipeline })
  if (isSeveral && dryRun) return planSeveral(many, { json, explain, isLastFailed: lastFailed })
  if (isSeveral) return (await loadSeveralBenches()).start(many, { ...output, isLastFailed: lastFailed })
  if (lastFailed) return lastFailedAndShow({ ...request, skill }, { ...output, dryRun, explain })
  if (dryRun) return planAndShow({ ...request, skill }, { json, explain })
  return benchAndShow({ ...request, skill }, output)
}

function explicitKeys({ origins }: SkillSettings<BenchArguments>['configured']): ReadonlySet<string> {
  return new Set([...origins].flatMap(([key, { kind }]) => (kind === 'default' || kind === 'suite' ? [] : [key])))
}

/** Asks only if a person can answer. */
async function askIfDear(parsed: BenchArguments, request: BenchRequest | BenchManyRequest): Promise<void> {
  if (!canAnswer(parsed)) return
  const planOne = await choosePlanner(parsed.lastFailed)
  await askFirst({
    above: { usd: parsed.askAboveCost, seconds: parsed.askAboveMinutes * 60 },
    limits: parseLimits(parsed),
    plan: async (context) => {
      const plans =
        'skills' in request
          ? await (await loadSeveralBenches()).plan(request, planOne, context)
          : [{ plan: await planOne(request, context).catch(() => null) }]
      // the start itself reports its refusals
      return plans.flatMap((one) => ('plan' in one && one.plan?.refusals.length === 0 ? one.plan : []))
    },
  })
}

async function choosePlanner(lastFailed: boolean): Promise<PlanOne> {
  if (lastFailed) return (await import('../../../flows/bench/last_failed.ts')).planLastFailed
  return (await import('../../../flows/bench/plan_with_estimate.ts')).planWithEstimate
}

/** Reports settings from files, since they change what the command line does. */
function saySettings(ofSkills: readonly SkillSettings<BenchArguments>[]): void {
  const lines = new Set(ofSkills.flatMap(({ configured }) => settingsLines(configured)))
  for (const line of lines) process.stderr.write(`${line}\n`)
}

function printSettings(ofSkills: readonly SkillSettings<BenchArguments>[], json: boolean): number {
  const texts = ofSkills.map(({ skill, configured }) => printConfig({ of: skill, configured }, json))
  process.stdout.write(`${texts.join(json ? '\n' : '\n\n')}\n`)
  return exitCodes.done
}

async function benchAndShow(request: BenchRequest, { json, goesOn, waits, ...pipeline }: BenchOutput): Promise<number> {
  const { bench } = await import('../../../flows/bench/bench.ts')
  const { showResult } = await import('./print.ts')
  const { concurrency } = request
  const { result, interrupted } = await withFlow({ json, concurrency, goesOn, waits }, (context) =>
    bench(request, context),
  )
  return await showResult(result, { json, interrupted, goesOn, makesMissing: true, ...pipeline })
}

async function planSeveral(
  request: BenchManyRequest,
  how: { json: boolean; isLastFailed: boolean; explain: boolean },
): Promise<number> {
  const { showPlans } = await import('./print_plans.ts')
  const { plan } = await loadSeveralBenches()
  const planOne = await choosePlanner(how.isLastFailed)
  const { result } = await withFlow({ json: how.json, concurrency: 1 }, (context) => plan(request, planOne, context))
  return showPlans(result, { ...how, concurrency: request.concurrency, budget: request.limits?.budget ?? null })
}

async function lastFailedAndShow(
  request: BenchRequest,
  how: BenchOutput & { dryRun: boolean; explain: boolean },
): Promise<number> {
  const { selectLastFailed } = await import('../../../flows/bench/last_failed.ts')
  const { json, dryRun, explain } = how
  const { result: found } = await withFlow({ json, concurrency: 1 }, (context) => selectLastFailed(request, context))
  if (found.cases.length === 0) {
    const message = `No case failed in ${found.benchmark}: nothing to do.`
    return sayNothingToDo(message, json, { folder: found.benchmark })
  }
  const again = { ...request, cases: found.cases.map(({ eval_id }) => String(eval_id)) }
  return dryRun ? planAndShow(again, { json, explain }) : benchAndShow(again, { ...how, lastFailed: again.cases })
}

async function rerunAndShow(
  request: RerunRequest,
  { json, waits, ...pipeline }: Omit<BenchOutput, 'goesOn' | 'hasFixedDeadline'>,
): Promise<number> {
  const { rerun } = await import('../../../flows/bench/rerun.ts')
  const { showResult } = await import('./print.ts')
  const how = { json, goesOn: null }
  const { result, interrupted } = await withFlow({ ...how, concurrency: 1, waits }, (context) =>
    rerun(request, context),
  )
  return await showResult(result, { ...how, interrupted, ...pipeline })
}

async function planAndShow(request: BenchRequest, how: { json: boolean; explain: boolean }): Promise<number> {
  const { planWithEstimate } = await import('../../../flows/bench/plan_with_estimate.ts')
  const { showPlans } = await import('./print_plans.ts')
  const { result: plan } = await withFlow({ ...how, concurrency: 1 }, (context) => planWithEstimate(request, context))
  const one = { status: 'planned' as const, skill: request.skill, cell: null, plan }
  return showPlans([one], { ...how, concurrency: request.concurrency, budget: request.limits?.budget ?? null })
}

export interface AskFirst {
  /** Ask above these dollars and seconds. */
  above: { usd: number; seconds: number }
  limits: Limits
  /** Plans what will start; omits what can't be planned. */
  plan: (context: FlowContext) => Promise<readonly EstimatedPlan[]>
}

/** Throws InterruptedError unless the answer is yes. Does not ask about unknown amounts. */
export async function askFirst({ above, limits, plan }: AskFirst): Promise<void> {
  const never = new AbortController().signal
  const env = process.env
  const prices = await readChosenPrices()
  const plans = await plan({ emit: () => {}, env, drain: never, signal: never, now: () => new Date(), prices })
  const total = (unit: 'usd' | 'seconds') => plans.reduce((sum, { estimate }) => sum + (estimate[unit] ?? 0), 0)
  const left = limits.deadline === null ? Number.MAX_VALUE : (limits.deadline.getTime() - Date.now()) / 1000
  const usd = Math.min(total('usd'), limits.budget ?? Number.MAX_VALUE)
  const seconds = Math.min(total('seconds'), left)
  if (usd <= above.usd && seconds <= above.seconds) return
  const question = `This will take about ${dollarsText(usd)} and ${durationText(seconds * 1000)}. Continue?`
  const no = 'not started; --yes skips this question'
  if (!(await askYesNo(question, no))) throw new InterruptedError(no)
}

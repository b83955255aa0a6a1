/** `whetstone bench`: two arms: does the skill help? */
import path from 'node:path'
import type { Argv } from 'yargs'
import { UserError } from '../../base/error.ts'
import type { ManyRequest } from '../../flows/bench_many.ts'
import type { BenchRequest } from '../../flows/prepare.ts'
import type { RerunRequest } from '../../flows/rerun.ts'
import type { Gate } from '../../phases/4-report/gate/parse.ts'
import { exitCodes } from '../exit.ts'
import { type Again, againUnless } from '../interrupt.ts'
import { reportersGiven } from '../report.ts'
import type { Reporter } from '../reporters.ts'
import { benchFlags } from './bench_flags.ts'
import type { OfSkill } from './bench_settings.ts'
import { judgingWish } from './judge_flags.ts'
import { limitsOf } from './limit_flags.ts'
import { queueWish } from './queue_flags.ts'
import { sandboxWish } from './sandbox_flags.ts'
import { type Done, showResult, withFlow, withJson } from './shared.ts'
import { designAsked, refuseUntilMixtures, runsAsked } from './until_flags.ts'

function benchOptions(args: Argv) {
  return withJson(args)
    .positional('skill', {
      type: 'string',
      array: true,
      demandOption: true,
      describe:
        'folders that hold SKILL.md, or a pattern over them; several are benched one after another, with an index over all',
    })
    .options(benchFlags)
    .usage(
      '$0 bench <skill..> [options]\n\ntwo arms: does the skill help?\n\nRuns each case of evals/evals.json with the skill and without it, grades every run, and writes\nbenchmark.json, benchmark.md and report.html. After an interruption the same command does only\nwhat is missing.',
    )
    .example('$0 bench skills/pdf --dry-run', 'see the plan first')
    .example('$0 bench skills/pdf --engine claude-code:sonnet --runs 5', 'Claude Code, five runs an arm')
    .example('$0 bench skills/pdf --dry-run --detect .2', 'how many runs would show 20 points?')
    .example('$0 bench skills/pdf --until decided --max-runs 20', 'as few runs as the answer takes, at most 20 an arm')
    .example('$0 bench skills/pdf --baseline git:main', 'this version against the one on main')
    .example(
      '$0 bench skills/pdf --engine "command:./agent.sh" --judge anthropic:haiku',
      'your own agent, an API judge',
    )
    .example('$0 bench skills/pdf --calibrate --runs 5', 'how much chance alone does, named by later benchmarks')
    .example('$0 bench skills/*', 'many skills, one table')
    .example('$0 bench skills/pdf --matrix anthropic:haiku,anthropic:sonnet', 'which model?')
    .example("$0 bench skills/pdf --case 3 --case 'table-*' --json", 'some cases, events as JSON lines')
}

/** Adds the command; `done` gets its exit code. */
export function addBench(args: Argv, done: Done, argv: readonly string[]): Argv {
  return args.command('bench <skill..>', 'two arms: does the skill help?', benchOptions, async (parsed) => {
    done(await start(parsed, argv))
  })
}

type BenchArguments = Awaited<ReturnType<typeof benchOptions>['argv']>

/** Throws UserError for flags that can't be meant together. */
function refuseMixtures({
  rerun,
  skill,
  matrix,
  lastFailed,
  dryRun,
  explain,
  fresh,
  calibrate,
  case: cases,
}: BenchArguments): void {
  if (explain && !dryRun) throw new UserError('--explain without --dry-run', 'add --dry-run: it explains a plan')
  if (calibrate && lastFailed) throw new UserError('--calibrate with --last-failed', 'name cases with --case')
  if (rerun === undefined) return
  const others = {
    '--matrix': matrix,
    '--last-failed': lastFailed,
    '--dry-run': dryRun,
    '--fresh': fresh,
    '--calibrate': calibrate,
  }
  const given = [
    ...Object.entries(others).flatMap(([flag, value]) => (value ? [flag] : [])),
    ...(cases.length > 0 ? ['--case'] : []),
    ...(skill.length > 1 ? ['several skills'] : []),
  ]
  if (given.length > 0) throw new UserError(`--rerun with ${given.join(', ')}`, 'name one run of one skill')
}

async function start(asked: BenchArguments, argv: readonly string[]): Promise<number> {
  const { settingsOfSkills } = await import('./bench_settings.ts')
  const given = { ...asked, skill: await skillsOf(asked) }
  refuseMixtures(given)
  const ofSkills = await settingsOfSkills({ argv, options: benchOptions, args: given })
  const parsed = ofSkills[0]?.configured.args ?? given
  for (const { configured } of ofSkills) refuseUntilMixtures(configured.args, givenOf(configured))
  if (given.printConfig) return printSettings(ofSkills, given.json)
  const pipeline = await pipelineOf(parsed)
  const goesOn = againUnless(parsed.fresh)
  if (!given.json) await saySettings(ofSkills)
  const request = requestOf(parsed)
  const { matrix = null, json, dryRun, lastFailed, explain } = parsed
  const skills = given.skill
  const [skill = '', ...others] = skills
  const each = new Map(ofSkills.map((one) => [path.resolve(one.skill), requestOf(one.configured.args)]))
  if (!dryRun && parsed.rerun === undefined) await askIfDear(parsed, { ...request, skills, matrix, each })
  if (parsed.rerun !== undefined) return rerunAndShow({ ...request, skill, run: parsed.rerun }, { json, ...pipeline })
  if (others.length > 0 || matrix !== null) {
    return benchSeveral(
      { ...request, skills, matrix, each },
      { json, goesOn, dryRun, lastFailed, explain, ...pipeline },
    )
  }
  if (lastFailed) return lastFailedAndShow({ ...request, skill }, { json, goesOn, dryRun, explain, ...pipeline })
  if (dryRun) return planAndShow({ ...request, skill }, { json, explain })
  return benchAndShow({ ...request, skill }, { json, goesOn, ...pipeline })
}

/** Those that are benched; what is passed over is said. */
async function skillsOf({ skill, json, printConfig }: BenchArguments): Promise<string[]> {
  const { givenSkills } = await import('../../flows/given_skills.ts')
  const { skills, passedOver } = await givenSkills(skill)
  if (passedOver.length > 0 && !printConfig) {
    await withFlow({ json, concurrency: 1 }, async ({ emit }) => {
      for (const one of passedOver) emit({ type: 'place_passed_over', ...one })
    })
  }
  return skills
}

/** What a flag or a file says. */
function givenOf({ origins }: OfSkill<BenchArguments>['configured']): ReadonlySet<string> {
  return new Set([...origins].flatMap(([key, { kind }]) => (kind === 'default' || kind === 'suite' ? [] : [key])))
}

function requestOf(parsed: BenchArguments): Omit<BenchRequest, 'skill'> {
  return {
    suite: parsed.suite ?? null,
    baseline: parsed.baseline ?? null,
    cases: parsed.case,
    engine: parsed.engine,
    model: parsed.model ?? null,
    judge: parsed.judge ?? null,
    baseUrl: parsed.baseUrl ?? null,
    judging: judgingWish(parsed),
    ...runsAsked(parsed),
    ...designAsked(parsed),
    concurrency: parsed.concurrency,
    timeoutSeconds: parsed.timeout ?? null,
    pace: { idleMs: parsed.idleTimeout * 1000 },
    maxTurns: parsed.maxTurns ?? null,
    retries: parsed.retries,
    activation: parsed.activation,
    onTimeout: parsed.onTimeout,
    workspace: parsed.workspace ?? null,
    fresh: parsed.fresh,
    calibrate: parsed.calibrate,
    cache: parsed.cache && !parsed.lastFailed,
    passEnv: parsed.passEnv,
    limits: limitsOf(parsed),
    sandbox: sandboxWish(parsed),
    queue: queueWish(parsed, process.env),
  }
}

/** Where somebody sits who can answer. */
async function askIfDear(parsed: BenchArguments, request: ManyRequest): Promise<void> {
  const { askFirst, canAnswer } = await import('../ask_first.ts')
  if (!canAnswer(parsed)) return
  const { planMany } = await import('../../flows/bench_many.ts')
  const planOne = await plannerOf(parsed.lastFailed)
  await askFirst({
    above: { usd: parsed.askAboveCost, seconds: parsed.askAboveMinutes * 60 },
    limits: limitsOf(parsed),
    plan: async (context) => {
      const plans = await planMany(request, context, planOne)
      return plans.flatMap((one) => (one.status === 'planned' ? (one.plan ?? []) : []))
    },
  })
}

/** What plans one skill. */
async function plannerOf(lastFailed: boolean) {
  if (lastFailed) return (await import('../../flows/select_last_failed.ts')).planLastFailed
  return (await import('../../flows/plan_with_estimate.ts')).planWithEstimate
}

/** Nobody should wonder why it runs otherwise than the command line says. */
async function saySettings(ofSkills: readonly OfSkill<BenchArguments>[]): Promise<void> {
  if (ofSkills.every(({ configured }) => configured.file === null)) return
  const { settingsLine } = await import('../config/print.ts')
  const lines = new Set(ofSkills.flatMap(({ configured }) => settingsLine(configured) ?? []))
  for (const line of lines) process.stderr.write(`${line}\n`)
}

async function printSettings(ofSkills: readonly OfSkill<BenchArguments>[], json: boolean): Promise<number> {
  const { printConfig } = await import('../config/print.ts')
  const texts = ofSkills.map(({ skill, configured }) => printConfig({ of: skill, configured }, json))
  process.stdout.write(`${texts.join(json ? '\n' : '\n\n')}\n`)
  return exitCodes.done
}

interface Pipeline {
  gates: readonly Gate[]
  reporters: readonly Reporter[]
}

/** Read before anything is paid for. */
async function pipelineOf({ gate, failOn, reporter }: BenchArguments): Promise<Pipeline> {
  const gates = gate.length + failOn.length === 0 ? [] : (await import('../gates.ts')).gatesOf({ gate, failOn })
  return { gates, reporters: await reportersGiven(reporter) }
}

interface How extends Pipeline {
  json: boolean
  goesOn: Again
}

async function benchAndShow(request: BenchRequest, { json, goesOn, ...pipeline }: How): Promise<number> {
  const { bench } = await import('../../flows/bench.ts')
  const { concurrency } = request
  const { result, interrupted } = await withFlow({ json, concurrency, goesOn }, (context) => bench(request, context))
  return await showResult(result, { json, interrupted, goesOn, ...pipeline })
}

async function benchSeveral(
  request: ManyRequest,
  how: How & { dryRun: boolean; lastFailed: boolean; explain: boolean },
): Promise<number> {
  const { json, goesOn, dryRun, lastFailed, ...pipeline } = how
  const { concurrency } = request
  if (dryRun) return planSeveral(request, how)
  const { benchMany } = await import('../../flows/bench_many.ts')
  const { lastFailedOrNewest } = await import('../../flows/select_last_failed.ts')
  const { showIndex } = await import('../show_index.ts')
  const { result, interrupted } = await withFlow({ json, concurrency, goesOn }, (context) =>
    lastFailed ? benchMany(request, context, lastFailedOrNewest) : benchMany(request, context),
  )
  return showIndex(result, { json, interrupted, goesOn, ...pipeline })
}

async function planSeveral(
  request: ManyRequest,
  how: { json: boolean; lastFailed: boolean; explain: boolean },
): Promise<number> {
  const { planMany } = await import('../../flows/bench_many.ts')
  const planOne = await plannerOf(how.lastFailed)
  const { result } = await withFlow({ json: how.json, concurrency: 1 }, (context) =>
    planMany(request, context, planOne),
  )
  const { showPlans } = await import('../show_plans.ts')
  return showPlans(result, { ...how, concurrency: request.concurrency })
}

async function lastFailedAndShow(
  request: BenchRequest,
  how: How & { dryRun: boolean; explain: boolean },
): Promise<number> {
  const { selectLastFailed } = await import('../../flows/select_last_failed.ts')
  const { json, dryRun, explain } = how
  const { result: found } = await withFlow({ json, concurrency: 1 }, (context) => selectLastFailed(request, context))
  if (found.cases.length === 0) {
    const { safe } = await import('../style.ts')
    const message = `No case failed in ${found.benchmark}: nothing to do.`
    const line = { type: 'result', exit_code: exitCodes.done, folder: found.benchmark, message }
    process.stdout.write(`${json ? JSON.stringify(line) : safe(message)}\n`)
    return exitCodes.done
  }
  const again = { ...request, cases: found.cases.map(({ eval_id }) => String(eval_id)) }
  return dryRun ? planAndShow(again, { json, explain }) : benchAndShow(again, how)
}

async function rerunAndShow(request: RerunRequest, { json, ...pipeline }: Omit<How, 'goesOn'>): Promise<number> {
  const { rerun } = await import('../../flows/rerun.ts')
  const how = { json, goesOn: null }
  const { result, interrupted } = await withFlow({ ...how, concurrency: 1 }, (context) => rerun(request, context))
  return await showResult(result, { ...how, interrupted, ...pipeline })
}

async function planAndShow(request: BenchRequest, how: { json: boolean; explain: boolean }): Promise<number> {
  const { planWithEstimate } = await import('../../flows/plan_with_estimate.ts')
  const { result: plan } = await withFlow({ ...how, concurrency: 1 }, (context) => planWithEstimate(request, context))
  const { showPlans } = await import('../show_plans.ts')
  const one = { status: 'planned' as const, skill: request.skill, cell: null, plan }
  return showPlans([one], { ...how, concurrency: request.concurrency })
}

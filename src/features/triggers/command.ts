/** `whetstone triggers`: tests whether the description makes the agent use the skill, alone or, with --all, among others. */
import type { ArgumentsCamelCase, Argv, InferredOptionTypes } from 'yargs'
import { UserError } from '../../base/errors/error.ts'
import { parseLimits } from '../../cli/commands/options/limit_flags.ts'
import { type SetExitCode, withFlow, withJson } from '../../cli/commands/options/run_flow.ts'
import { sandboxWish } from '../../cli/commands/options/sandbox_flags.ts'
import { applyConfig, locateSkillConfig } from '../../cli/config/configured_command.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { groupOptions } from '../../cli/help/option_groups.ts'
import { parseReporters, writeReports } from '../../cli/reporters/reporters.ts'
import { chooseResumeWay, type ResumeWay } from '../../cli/terminal/interrupt.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { parseGate } from '../../phases/4-report/gate/parse_gate.ts'
import { triggerMatrixGateSubject, triggersGateSubject } from './gate_subjects.ts'
import type { Reviewed } from './measure/measurement.ts'
import type { TriggerSettings } from './measure/prepare_triggers.ts'
import { type askingFlags, triggersFlags, usualRuns } from './options.ts'
import { showDrafts, showTriggerPlan, showTriggers } from './print.ts'
import { triggerReports } from './report/texts.ts'

function triggersOptions(args: Argv) {
  const help =
    '$0 triggers <skill> [options]\n       $0 triggers --all <folder> [options]\n\nMeasure for which queries an agent uses the skill.\n\nRuns each query several times through a real agent that discovers the skill by itself. A run ends once the agent reads the skill. Writes triggers.json: trigger rates, recall, precision and confusions. A run without an answer is an error, never "not triggered".'
  return withJson(args)
    .usage(help)
    .positional('skill', { type: 'string', describe: 'folder with SKILL.md' })
    .options(triggersFlags)
    .example('$0 triggers skills/pdf --set queries.json', 'run each query three times')
    .example('$0 triggers skills/pdf --gate "recall >= 90%" --gate "precision >= 90%"', 'gate a pipeline')
    .example('$0 triggers skills/pdf --generate 20', 'draft queries for review')
    .example('$0 triggers --all skills', 'find skills that take the queries of others')
}

type TriggersArguments = ArgumentsCamelCase<ReturnType<typeof triggersOptions> extends Argv<infer T> ? T : never>

type AskingArguments = ArgumentsCamelCase<
  InferredOptionTypes<Omit<typeof askingFlags, 'runs' | 'set' | 'max-turns' | 'stop-early'>>
> & { runs?: number | undefined; maxTurns: number; stopEarly: boolean }

/** The settings for running queries, from the flags. */
export function askingWish(parsed: AskingArguments): TriggerSettings {
  const { among, engine, runs = usualRuns.one, threshold, concurrency, retries, stopEarly, passEnv } = parsed
  return {
    ...{ among, engine, runs, threshold, concurrency, retries, stopEarly, passEnv },
    model: parsed.model ?? null,
    effort: parsed.effort ?? null,
    baseUrl: parsed.baseUrl ?? null,
    timeoutSeconds: parsed.timeout,
    maxTurns: parsed.maxTurns,
    limits: parseLimits(parsed),
    pace: { idleMs: parsed.idleTimeout * 1000 },
    sandbox: sandboxWish(parsed),
    links: parsed.links,
  }
}

function measureWish(parsed: TriggersArguments) {
  const { fresh, set = null, workspace = null } = parsed
  return { ...askingWish(parsed), fresh, set, workspace }
}

export function addTriggers(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  const usage = 'triggers [skill]'
  return args.command(
    usage,
    'does the description make the agent use it?',
    (one) => groupOptions(triggersOptions(one), triggersFlags, argv),
    async (given) => {
      const place = given.all ?? given.skill
      if (given.fullGrid && given.all === undefined)
        throw new UserError('--full-grid without --all', 'add --all FOLDER, or remove --full-grid')
      if (place === undefined)
        throw new UserError('triggers needs <skill>, or --all FOLDER', 'see whetstone triggers --help')
      const request = { command: 'triggers', usage, options: triggersOptions, argv, args: given } as const
      const parsed = await applyConfig(place, { ...request, start: await locateSkillConfig(place, given.set) })
      if (parsed === null) return done(exitCodes.done)
      // on the command line; a set from a configuration file does not prevent drafting another
      const isSetGiven = given.set !== undefined
      const start = parsed.all !== undefined ? startAll : parsed.generate !== undefined ? generate : startOne
      done(await start(parsed, { place, isSetGiven }))
    },
  )
}

interface Started {
  place: string
  isSetGiven: boolean
}

interface MeasurementStart<P, R> {
  plan(context: FlowContext): Promise<Reviewed<P>>
  showPlan(planned: Reviewed<P>, json: boolean): void
  measure(context: FlowContext): Promise<R>
  /** Returns the exit code. */
  show(result: R, how: { json: boolean; interrupted: boolean; goesOn: ResumeWay }): Promise<number> | number
}

/** The plan alone with --dry-run, else the measurement. */
async function startMeasuring<P, R>(
  parsed: TriggersArguments,
  { plan, showPlan, measure, show }: MeasurementStart<P, R>,
): Promise<number> {
  const { json, concurrency, maxWait } = parsed
  if (parsed.dryRun) {
    const { result } = await withFlow({ json, concurrency }, plan)
    showPlan(result, json)
    if (result.refusal !== null) throw result.refusal
    return exitCodes.done
  }
  const goesOn = chooseResumeWay(parsed.fresh)
  const waits = { maxWait, limits: parseLimits(parsed) }
  const { result, interrupted } = await withFlow({ json, concurrency, goesOn, waits }, measure)
  return await show(result, { json, interrupted, goesOn })
}

async function startOne(parsed: TriggersArguments, { place: skill }: Started): Promise<number> {
  if (parsed.output !== undefined)
    throw new UserError('--output without --generate', 'add --generate, or remove --output')
  const { planTriggersOnly, measureTriggers } = await import('./measure/triggers.ts')
  const gates = parsed.gate.map((text) => parseGate(text, triggersGateSubject))
  const reporters = await parseReporters(parsed.reporter)
  const request = { ...measureWish(parsed), skill }
  return await startMeasuring(parsed, {
    plan: (context) => planTriggersOnly(request, context),
    showPlan: showTriggerPlan,
    measure: (context) => measureTriggers(request, context),
    async show(result, how) {
      const shown = showTriggers(result, { ...how, gates, failOn: parsed.failOn })
      await writeReports(reporters, triggerReports, { triggers: result.triggers, gates: shown.gates })
      return shown.code
    },
  })
}

async function startAll(parsed: TriggersArguments, { place: folder }: Started): Promise<number> {
  refuseOtherFlags(parsed)
  const gates = parsed.gate.map((text) => parseGate(text, triggerMatrixGateSubject))
  const { measureAllTriggers, planAllTriggersOnly } = await import('./all/all_triggers.ts')
  const { showAllTriggerPlan, showMatrix } = await import('./all/print_all.ts')
  const { runs = usualRuns.all } = parsed
  const until = parsed.fullGrid ? ('all' as const) : ('decided' as const)
  const request = { ...measureWish(parsed), folder, runs, until }
  return await startMeasuring(parsed, {
    plan: (context) => planAllTriggersOnly(request, context),
    showPlan: showAllTriggerPlan,
    measure: (context) => measureAllTriggers(request, context),
    show: (result, how) => showMatrix(result, { ...how, gates }),
  })
}

function refuseOtherFlags({ skill, failOn, reporter, generate, output }: TriggersArguments): void {
  if (skill !== undefined)
    throw new UserError(
      `triggers --all with a skill ("${skill}")`,
      'leave the skill out: --all measures every skill of its folder',
    )
  if (failOn.length > 0)
    throw new UserError('--all with --fail-on', 'use --gate "thefts == 0" or --gate "lowest_recall >= 80%"')
  if (reporter.length > 0) throw new UserError('--all with --reporter', 'use --json, or read trigger_matrix.json')
  if (generate !== undefined || output !== undefined)
    throw new UserError(
      '--all with --generate',
      'draft the queries of each skill alone: whetstone triggers <skill> --generate 10',
    )
}

async function generate(parsed: TriggersArguments, { place: skill, isSetGiven }: Started): Promise<number> {
  if (isSetGiven) throw new UserError('--generate with --set', 'use --output for the drafts')
  const { generateQueries } = await import('./measure/generate_queries.ts')
  const { json, generate: count = 0, output = null } = parsed
  const request = { ...askingWish(parsed), skill, count, output }
  const { result } = await withFlow({ json, concurrency: 1, waits: parsed }, (context) =>
    generateQueries(request, context),
  )
  showDrafts(result, json)
  return exitCodes.done
}

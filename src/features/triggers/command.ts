/** `whetstone triggers`: tests whether the description makes the agent use the skill. */
import type { ArgumentsCamelCase, Argv, InferredOptionTypes } from 'yargs'
import { UserError } from '../../base/errors/error.ts'
import { parseLimits } from '../../cli/commands/options/limit_flags.ts'
import { type SetExitCode, withFlow, withJson } from '../../cli/commands/options/run_flow.ts'
import { sandboxWish } from '../../cli/commands/options/sandbox_flags.ts'
import { applyConfig, locateSkillConfig } from '../../cli/config/configured_command.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { groupOptions } from '../../cli/help/option_groups.ts'
import { parseReporters, writeReports } from '../../cli/reporters/reporters.ts'
import { chooseResumeWay } from '../../cli/terminal/interrupt.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { parseGate } from '../../phases/4-report/gate/parse_gate.ts'
import { triggersGateSubject } from './gate_subjects.ts'
import type { TriggerSettings, TriggersRequest } from './measure/prepare_triggers.ts'
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

export type TriggersArguments = ArgumentsCamelCase<ReturnType<typeof triggersOptions> extends Argv<infer T> ? T : never>

type AskingArguments = ArgumentsCamelCase<InferredOptionTypes<Omit<typeof askingFlags, 'runs'>>> & {
  runs?: number | undefined
}

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

function buildTriggersRequest(parsed: TriggersArguments, skill: string): TriggersRequest {
  const { fresh } = parsed
  return { ...askingWish(parsed), skill, fresh, set: parsed.set ?? null, workspace: parsed.workspace ?? null }
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
      const isSetGiven = given.set !== undefined
      if (given.all === undefined) return done(await start(parsed, { place, isSetGiven }))
      const { startAll } = await import('./all/start.ts')
      done(await startAll({ ...parsed, all: place }))
    },
  )
}

interface Started {
  place: string
  /** On the command line; a set from a configuration file does not prevent drafting another. */
  isSetGiven: boolean
}

async function start(parsed: TriggersArguments, { place, isSetGiven }: Started): Promise<number> {
  if (parsed.generate !== undefined) return generate(parsed, { skill: place, count: parsed.generate, isSetGiven })
  if (parsed.output !== undefined)
    throw new UserError('--output without --generate', 'add --generate, or remove --output')
  const { json, concurrency, failOn } = parsed
  const { planTriggersOnly, measureTriggers } = await import('./measure/triggers.ts')
  const gates = parsed.gate.map((text) => parseGate(text, triggersGateSubject))
  const reporters = await parseReporters(parsed.reporter)
  const request = buildTriggersRequest(parsed, place)
  if (parsed.dryRun) {
    const planned = (context: FlowContext) => planTriggersOnly(request, context)
    const { result } = await withFlow({ json, concurrency }, planned)
    showTriggerPlan(result, json)
    if (result.refusal !== null) throw result.refusal
    return exitCodes.done
  }
  const goesOn = chooseResumeWay(parsed.fresh)
  const waits = { maxWait: parsed.maxWait, limits: request.limits }
  const asked = (context: FlowContext) => measureTriggers(request, context)
  const { result, interrupted } = await withFlow({ json, concurrency, goesOn, waits }, asked)
  const shown = showTriggers(result, { json, interrupted, goesOn, gates, failOn })
  await writeReports(reporters, triggerReports, { triggers: result.triggers, gates: shown.gates })
  return shown.code
}

async function generate(
  parsed: TriggersArguments,
  { skill, count, isSetGiven }: { skill: string; count: number; isSetGiven: boolean },
): Promise<number> {
  if (isSetGiven) throw new UserError('--generate with --set', 'use --output for the drafts')
  const { generateQueries } = await import('./measure/generate_queries.ts')
  const { json } = parsed
  const request = { ...askingWish(parsed), skill, count, output: parsed.output ?? null }
  const { result } = await withFlow({ json, concurrency: 1, waits: parsed }, (context) =>
    generateQueries(request, context),
  )
  showDrafts(result, json)
  return exitCodes.done
}

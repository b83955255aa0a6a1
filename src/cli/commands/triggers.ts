/** `whetstone triggers`: does the description make the agent use the skill? */
import type { ArgumentsCamelCase, Argv, InferredOptionTypes } from 'yargs'
import { UserError } from '../../base/error.ts'
import type { FlowContext } from '../../flows/context.ts'
import type { AskingWish, TriggersRequest } from '../../flows/triggers/prepare_triggers.ts'
import { exitCodes } from '../exit.ts'
import { againUnless } from '../interrupt.ts'
import { report, reportersGiven } from '../report.ts'
import { limitsOf } from './limit_flags.ts'
import { sandboxWish } from './sandbox_flags.ts'
import { type Done, withFlow, withJson } from './shared.ts'
import { type askingFlags, triggersFlags } from './triggers_flags.ts'

function triggersOptions(args: Argv) {
  return withJson(args)
    .positional('skill', { type: 'string', demandOption: true, describe: 'the folder that holds SKILL.md' })
    .options(triggersFlags)
    .usage(
      '$0 triggers <skill> [options]\n\ndoes the description make the agent use the skill?\n\nAsks each query of a set several times through a real agent that finds the skill by its own\ndiscovery, and sees whether it reads it. A run ends as soon as it does. Writes triggers.json:\ntrigger rates, recall, precision, what was confused. A run without an answer is an error,\nnever "not triggered".',
    )
    .example('$0 triggers skills/pdf --set queries.json', 'three runs of each query')
    .example('$0 triggers skills/pdf --among skills', 'with all the others beside it')
    .example('$0 triggers skills/pdf --gate "recall >= 90%" --gate "precision >= 90%"', 'for a pipeline')
    .example('$0 triggers skills/pdf --generate 20', 'a set to begin with, for review')
    .example('$0 triggers skills/pdf --engine claude-code:haiku --concurrency 8 --runs 5', 'another engine, wider')
}

type TriggersArguments = ArgumentsCamelCase<ReturnType<typeof triggersOptions> extends Argv<infer T> ? T : never>

type AskingArguments = ArgumentsCamelCase<InferredOptionTypes<typeof askingFlags>>

/** What the flags say of how queries are asked. */
function askingWish(parsed: AskingArguments): AskingWish {
  const { among, engine, runs, threshold, concurrency, retries, stopEarly, passEnv } = parsed
  return {
    ...{ among, engine, runs, threshold, concurrency, retries, stopEarly, passEnv },
    model: parsed.model ?? null,
    baseUrl: parsed.baseUrl ?? null,
    timeoutSeconds: parsed.timeout,
    maxTurns: parsed.maxTurns,
    limits: limitsOf(parsed),
    pace: { idleMs: parsed.idleTimeout * 1000 },
    sandbox: sandboxWish(parsed),
  }
}

function requestOf(parsed: TriggersArguments): TriggersRequest {
  const { skill, fresh } = parsed
  return { ...askingWish(parsed), skill, fresh, set: parsed.set ?? null, workspace: parsed.workspace ?? null }
}

export function addTriggers(args: Argv, done: Done, argv: readonly string[]): Argv {
  const usage = 'triggers <skill>'
  return args.command(usage, 'does the description make the agent use it?', triggersOptions, async (given) => {
    const { configuredFor } = await import('../config/of_suite.ts')
    const of = { command: 'triggers', usage, options: triggersOptions, argv, args: given, print: given } as const
    const parsed = await configuredFor({ ...of, place: given.skill, file: given.set })
    done(parsed === null ? exitCodes.done : await start(parsed, given.set !== undefined))
  })
}

/** `isSetGiven`: on the command line; a set that a file names does not keep another one from being drafted. */
async function start(parsed: TriggersArguments, isSetGiven: boolean): Promise<number> {
  if (parsed.generate !== undefined) return generate(parsed, { count: parsed.generate, isSetGiven })
  if (parsed.output !== undefined) throw new UserError('--output without --generate', 'leave it out')
  const { json, concurrency, failOn } = parsed
  const [flow, show, { parseGate }, { ofTriggers }] = await Promise.all([
    import('../../flows/triggers/triggers.ts'),
    import('../show_triggers.ts'),
    import('../../phases/4-report/gate/parse.ts'),
    import('../../phases/4-report/gate/subject.ts'),
  ])
  const gates = parsed.gate.map((text) => parseGate(text, ofTriggers))
  const reporters = await reportersGiven(parsed.reporter)
  const request = requestOf(parsed)
  if (parsed.dryRun) {
    const planned = (context: FlowContext) => flow.planTriggersOnly(request, context)
    show.showTriggerPlan((await withFlow({ json, concurrency }, planned)).result, json)
    return exitCodes.done
  }
  const goesOn = againUnless(parsed.fresh)
  const asked = (context: FlowContext) => flow.triggers(request, context)
  const { result, interrupted } = await withFlow({ json, concurrency, goesOn }, asked)
  const shown = show.showTriggers(result, { json, interrupted, goesOn, gates, failOn })
  await report(reporters, (texts) => texts.ofTriggers, { triggers: result.triggers, gates: shown.gates })
  return shown.code
}

async function generate(
  parsed: TriggersArguments,
  { count, isSetGiven }: { count: number; isSetGiven: boolean },
): Promise<number> {
  if (isSetGiven) throw new UserError('--generate with --set', 'drafts go to a file of their own: --output')
  const [{ generateQueries }, { showDrafts }] = await Promise.all([
    import('../../flows/triggers/generate.ts'),
    import('../show_triggers.ts'),
  ])
  const { json, skill } = parsed
  const request = { ...askingWish(parsed), skill, count, output: parsed.output ?? null }
  const { result } = await withFlow({ json, concurrency: 1 }, (context) => generateQueries(request, context))
  showDrafts(result, json)
  return exitCodes.done
}

/** `whetstone init`: has a model draft a first suite. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import type { InitRequest } from '../../../flows/init/init.ts'
import { configureForSuite } from '../../config/suite_config.ts'
import { exitCodes } from '../../exit_codes.ts'
import { parseLimits } from '../options/limit_flags.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'
import { sandboxWish } from '../options/sandbox_flags.ts'
import { initFlags } from './options.ts'
import { showInit, showInitPlan } from './print.ts'

function initOptions(args: Argv) {
  return withJson(args)
    .positional('skill', { type: 'string', demandOption: true, describe: 'the folder that holds SKILL.md' })
    .options(initFlags)
    .usage(
      '$0 init <skill> [options]\n\ndraft evals/evals.json from SKILL.md\n\nA model drafts cases: prompts as people type them, edge cases, small input files (evals/files/),\nexpectations, and checks where code can decide. Each is marked "review": "draft" until you have\nread it; check and bench say so. Nothing that is there is written over.',
    )
    .example('$0 init skills/pdf', '8 cases, by the first engine that can work')
    .example('$0 init skills/pdf --cases 20 --engine anthropic:opus', 'enough for improve, by another model')
    .example('$0 init skills/pdf --output skills/pdf/evals/more.json', 'beside a suite that is there')
    .example('$0 init skills/pdf --dry-run', 'who would be asked, for about how much, and where it would go')
}

type InitArguments = ArgumentsCamelCase<ReturnType<typeof initOptions> extends Argv<infer T> ? T : never>

function buildInitRequest(parsed: InitArguments): InitRequest {
  const { skill, cases, engine, passEnv } = parsed
  return {
    ...{ skill, cases, engine, passEnv },
    output: parsed.output ?? null,
    model: parsed.model ?? null,
    judge: parsed.judge ?? null,
    baseUrl: parsed.baseUrl ?? null,
    limits: parseLimits(parsed),
    sandbox: sandboxWish(parsed),
  }
}

export function addInit(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  const usage = 'init <skill>'
  return args.command(usage, 'draft evals/evals.json from SKILL.md', initOptions, async (given) => {
    const of = { command: 'init', usage, options: initOptions, argv, args: given, print: given } as const
    const parsed = await configureForSuite({ ...of, place: given.skill })
    if (parsed === null) return done(exitCodes.done)
    const { init, planInit } = await import('../../../flows/init/init.ts')
    const request = buildInitRequest(parsed)
    const { json, dryRun } = parsed
    if (dryRun) {
      const { result } = await withFlow({ json, concurrency: 1 }, (context) => planInit(request, context))
      showInitPlan(result, json)
      return done(exitCodes.done)
    }
    const { result, interrupted } = await withFlow({ json, concurrency: 1, waits: parsed }, (context) =>
      init(request, context),
    )
    done(showInit(result, { json, interrupted }))
  })
}

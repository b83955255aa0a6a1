/** `whetstone init`: has a model draft a first suite. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import type { InitRequest } from '../../../flows/init/init.ts'
import { applyConfig, locateSkillConfig } from '../../config/configured_command.ts'
import { exitCodes } from '../../exit_codes.ts'
import { parseLimits } from '../options/limit_flags.ts'
import { addModeOptions, chooseMode, describeCommand } from '../options/modes.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'
import { sandboxWish } from '../options/sandbox_flags.ts'
import { initFlags } from './options.ts'
import { showInit, showInitPlan } from './print.ts'

function initOptions(args: Argv) {
  const help =
    '$0 init <skill> [options]\n\nDraft evals/evals.json from SKILL.md.\n\nA model drafts cases: prompts, edge cases, small input files (evals/files/), expectations and checks. Each has "review": "draft" until you have reviewed it. Existing files are not changed.'
  const options = withJson(args)
    .positional('skill', { type: 'string', demandOption: true, describe: 'folder with SKILL.md' })
    .options(initFlags)
    .example('$0 init skills/pdf', 'draft 8 cases with the first available engine')
    .example('$0 init skills/pdf --cases 20 --engine anthropic:opus', 'draft enough for improve, with another model')
    .example('$0 init skills/pdf --output skills/pdf/evals/more.json', 'draft next to an existing suite')
    .example('$0 init skills/pdf --dry-run', 'print the model, the estimated cost and the file')
  return addModeOptions(describeCommand(options, 'init', help), 'init')
}

export type InitArguments = ArgumentsCamelCase<ReturnType<typeof initOptions> extends Argv<infer T> ? T : never>

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
    const asked = { command: 'init', usage, options: initOptions, argv, args: given } as const
    const parsed = await applyConfig(given.skill, { ...asked, start: await locateSkillConfig(given.skill, undefined) })
    if (parsed === null) return done(exitCodes.done)
    const chosen = chooseMode('init', given, argv)
    if (chosen !== null) return done(await chosen.mode.start(parsed as never, given as never))
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

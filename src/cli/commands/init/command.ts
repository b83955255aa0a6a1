/** `whetstone init`: has a model draft a first suite. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import type { InitRequest } from '../../../flows/init/init.ts'
import { applyConfig, locateSkillConfig } from '../../config/configured_command.ts'
import { exitCodes } from '../../exit_codes.ts'
import { parseLimits } from '../options/limit_flags.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'
import { sandboxWish } from '../options/sandbox_flags.ts'
import { initFlags } from './options.ts'
import { showFromSessions, showInit, showInitPlan } from './print.ts'

function initOptions(args: Argv) {
  return withJson(args)
    .positional('skill', { type: 'string', demandOption: true, describe: 'folder with SKILL.md' })
    .options(initFlags)
    .usage(
      '$0 init <skill> [options]\n\nDraft evals/evals.json from SKILL.md.\n\nA model drafts cases: prompts, edge cases, small input files (evals/files/), expectations and checks. Each has "review": "draft" until you have reviewed it. Existing files are not changed.\n\nWith --from-sessions no model is asked: tasks that recur in recorded sessions become cases, first messages become trigger queries. Secrets and personal data of known forms are removed, without guarantee: review the files before you commit them.',
    )
    .example('$0 init skills/pdf', 'draft 8 cases with the first available engine')
    .example('$0 init skills/pdf --cases 20 --engine anthropic:opus', 'draft enough for improve, with another model')
    .example('$0 init skills/pdf --output skills/pdf/evals/more.json', 'draft next to an existing suite')
    .example('$0 init skills/pdf --from-sessions ~/.claude/projects', 'draft from what people asked an agent for')
    .example('$0 init skills/pdf --dry-run', 'print the model, the estimated cost and the file')
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

/** Drafts from recorded sessions; returns the exit code. */
async function draftFromSessions(given: InitArguments, parsed: InitArguments): Promise<number> {
  if (given.engine !== initFlags.engine.default || given.model !== undefined || given.judge !== undefined)
    throw new UserError('--from-sessions asks no model', 'leave out --engine, --model and --judge')
  const { skill, cases, output = null, fromSessions: places, json, dryRun } = parsed
  const { initFromSessions } = await import('../../../flows/init/init_from_sessions.ts')
  const manner = { json, concurrency: 1, stopping: 'Stopping: nothing is written.' }
  const request = { skill, cases, output, places, dryRun }
  const { result } = await withFlow(manner, (context) => initFromSessions(request, context))
  showFromSessions(result, { json, dryRun })
  return exitCodes.done
}

export function addInit(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  const usage = 'init <skill>'
  return args.command(usage, 'draft evals/evals.json from SKILL.md', initOptions, async (given) => {
    const asked = { command: 'init', usage, options: initOptions, argv, args: given } as const
    const parsed = await applyConfig(given.skill, { ...asked, start: await locateSkillConfig(given.skill, undefined) })
    if (parsed === null) return done(exitCodes.done)
    if (parsed.fromSessions.length > 0) return done(await draftFromSessions(given, parsed))
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

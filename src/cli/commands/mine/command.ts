/** `whetstone mine`: drafts cases and trigger queries from recorded sessions. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import type { MineRequest } from '../../../flows/mine/mine.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'
import { sandboxFlags, sandboxWish } from '../options/sandbox_flags.ts'
import { mineFlags } from './options.ts'
import { showMined } from './print.ts'

function mineOptions(args: Argv) {
  return withJson(args)
    .positional('sessions', {
      type: 'string',
      array: true,
      demandOption: true,
      describe: 'files of recorded sessions, or folders of them',
    })
    .options(mineFlags)
    .options(sandboxFlags)
    .usage(
      '$0 mine <sessions..> [options]\n\nDraft cases and trigger queries from recorded sessions.\n\nTasks that recur become cases, what was corrected or accepted becomes expectations. No model is asked unless you name one. Secrets and personal data of known forms are removed, without guarantee: review the files before you commit them.',
    )
    .example('$0 mine ~/.claude/projects --skill skills/pdf', 'draft cases and queries for a skill into mined/')
    .example('$0 mine ~/.codex/sessions --since 2026-01-31 --dry-run', 'show which tasks recur, write nothing')
    .example('$0 mine sessions --engine anthropic:opus', 'have a model phrase the expectations')
    .epilogue('Exit codes: 0 written, 2 a mistake or nothing to draft from, 3 the model did not phrase all, 130 Ctrl-C')
}

type MineArguments = ArgumentsCamelCase<ReturnType<typeof mineOptions> extends Argv<infer T> ? T : never>

function buildMineRequest(parsed: MineArguments): MineRequest {
  const { engine = null, model = null, baseUrl = null, passEnv } = parsed
  const asks = engine !== null || model !== null
  if (!asks && baseUrl !== null)
    throw new UserError('--base-url without --engine or --model', 'name the model that phrases expectations')
  return {
    places: parsed.sessions,
    skill: parsed.skill ?? null,
    out: parsed.out ?? null,
    minCount: parsed.minCount,
    maxCases: parsed.maxCases ?? null,
    since: parsed.since ?? null,
    dryRun: parsed.dryRun,
    model: asks ? { engine: engine ?? 'auto', model, baseUrl, passEnv, sandbox: sandboxWish(parsed) } : null,
  }
}

export function addMine(args: Argv, done: SetExitCode): Argv {
  const what = 'draft cases and trigger queries from recorded sessions'
  return args.command('mine <sessions..>', what, mineOptions, async (parsed) => {
    const { mine } = await import('../../../flows/mine/mine.ts')
    const request = buildMineRequest(parsed)
    const { json, dryRun } = parsed
    const manner = { json, concurrency: 1, waits: parsed, goesOn: null, stopping: 'Stopping: nothing is written.' }
    const { result } = await withFlow(manner, (context) => mine(request, context))
    done(showMined(result, { json, dryRun }))
  })
}

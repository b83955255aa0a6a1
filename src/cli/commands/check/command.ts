/** `whetstone check`: reports all problems of skills and suites at once, without a model. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'
import { sandboxFlags, sandboxWish } from '../options/sandbox_flags.ts'
import { showProblems } from './print.ts'
import { showCritique } from './print_critique.ts'

function checkOptions(args: Argv) {
  return withJson(args)
    .option('json', { type: 'boolean', default: false, describe: 'the whole report as one JSON document on stdout' })
    .positional('skill', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'skill folders, suite files, folders that hold skills, plugins, or globs',
    })
    .option('suite', {
      type: 'string',
      requiresArg: true,
      describe: 'the suite of the skills, as of bench: a file or folder; <skill>/evals/evals.json if not given',
    })
    .option('fail-on', {
      choices: ['error', 'warning'] as const,
      default: 'error' as const,
      requiresArg: true,
      describe: 'the mildest problem that ends with exit code 1',
    })
    .option('null', {
      type: 'boolean',
      default: false,
      describe: 'also grade an empty answer to each case: none may pass (runs its checks and setup)',
    })
    .option('oracle', {
      type: 'boolean',
      default: false,
      describe: "also grade each case's reference: none may fail (runs its checks and setup)",
    })
    .option('critique', {
      type: 'string',
      requiresArg: true,
      describe: 'a benchmark (or workspace): the edits of its suite that its verdicts suggest; asks no model',
    })
    .option('judge', {
      type: 'string',
      requiresArg: true,
      describe: 'who decides expectations of --null and --oracle: engine[:model]; without it they stay undecided',
    })
    .options(sandboxFlags)
    .usage(
      '$0 check <skill..> [options]\n       $0 check --critique <benchmark> [skill]\n\nall problems of skills and suites at once, without a model\n\nEvery rule is in docs/reference/check.md. One broken skill never stops the others.',
    )
    .example('$0 check skills/pdf', 'one skill and its suite')
    .example('$0 check plugin/skills/pdf --suite plugin', "a plugin's skill and the plugin's suite")
    .example("$0 check 'skills/*' --fail-on warning", 'all of them, in CI')
    .example(
      '$0 check --critique workspaces/pdf',
      'what its newest benchmark says of the suite itself (of improve its largest)',
    )
    .example('$0 check skills/pdf --null --oracle', 'do the checks tell a good answer from none?')
}

export function addCheck(args: Argv, done: SetExitCode): Argv {
  const describe = 'all problems of skills and suites at once, without a model'
  return args.command('check [skill..]', describe, checkOptions, async (parsed) => {
    const { skill: skills, judge = null, json, failOn } = parsed
    if (parsed.critique !== undefined) return done(await runCritique(parsed, parsed.critique))
    if (skills.length === 0) throw new UserError('check needs <skill>', 'see whetstone check --help')
    const trials = [...(parsed.null ? (['null'] as const) : []), ...(parsed.oracle ? (['oracle'] as const) : [])]
    if (judge !== null && trials.length === 0) {
      throw new UserError('--judge without --null or --oracle', 'add --null or --oracle')
    }
    const { checkSkills } = await import('../../../flows/check/check.ts')
    const request = { skills, suite: parsed.suite ?? null, trials, judge, sandbox: sandboxWish(parsed) }
    const { result } = await withFlow({ json, oneDocument: true, concurrency: 1 }, (context) =>
      checkSkills(request, context),
    )
    done(showProblems(result, { json, failOn }))
  })
}

type CheckArguments = ArgumentsCamelCase<ReturnType<typeof checkOptions> extends Argv<infer T> ? T : never>

async function runCritique(parsed: CheckArguments, benchmark: string): Promise<number> {
  const { skill: skills, judge, json, failOn } = parsed
  if (parsed.suite !== undefined)
    throw new UserError(
      '--critique with --suite (it reads the suite of the benchmark)',
      'pass another suite as <skill>',
    )
  if (parsed.null || parsed.oracle || judge !== undefined)
    throw new UserError('--critique with --null, --oracle or --judge (it reads existing verdicts)', 'leave them out')
  if (skills.length > 1) throw new UserError('--critique with several skills', 'pass one skill, or none')
  const { critiqueBenchmark } = await import('../../../flows/check/critique/critique.ts')
  const request = { benchmark, suite: skills[0] ?? null }
  const { result } = await withFlow({ json, concurrency: 1 }, (context) => critiqueBenchmark(request, context))
  return showCritique(result, { json, failOn })
}

/** `whetstone check`: reports all problems of skills and suites at once, without a model. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { locateSkillConfig } from '../bench/settings.ts'
import { backendFlag } from '../options/backend_flag.ts'
import { changedFlag } from '../options/common_flags.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'
import { sandboxFlags, sandboxWish } from '../options/sandbox_flags.ts'
import { showProblems } from './print.ts'
import { showCritique } from './print_critique.ts'

function checkOptions(args: Argv) {
  return withJson(args)
    .option('json', { type: 'boolean', default: false, describe: 'print the report as one JSON document' })
    .positional('skill', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'skills, suites, folders of them, plugins or globs',
    })
    .option('suite', {
      type: 'string',
      requiresArg: true,
      defaultDescription: '<skill>/evals/evals.json',
      describe: 'suite of the skills: a file or folder',
    })
    .options(changedFlag)
    .option('fail-on', {
      choices: ['error', 'warning'] as const,
      default: 'error' as const,
      requiresArg: true,
      describe: 'exit 1 from this severity on',
    })
    .option('null', {
      type: 'boolean',
      default: false,
      describe: 'also grade an empty answer per case: it must fail',
    })
    .option('oracle', {
      type: 'boolean',
      default: false,
      describe: "also grade each case's reference answer: it must pass",
    })
    .option('overlap', {
      type: 'boolean',
      default: false,
      describe: 'also compare the descriptions of all skills (no model)',
    })
    .option('critique', {
      type: 'string',
      requiresArg: true,
      describe: 'suggest edits to the suite from this benchmark (no model)',
    })
    .option('judge', {
      type: 'string',
      requiresArg: true,
      defaultDescription: 'none',
      describe: 'judge for --null and --oracle: engine[:model]',
    })
    .options({ ...sandboxFlags, ...backendFlag })
    .usage(
      '$0 check <skill..> [options]\n       $0 check --critique <benchmark> [skill]\n\nFind problems in skills and suites, without a model.\n\ndocs/reference/check.md describes every rule. A broken skill does not stop the others.',
    )
    .example('$0 check skills/pdf', 'check a skill and its suite')
    .example('$0 check plugin/skills/pdf --suite plugin', "check a plugin's skill with the plugin's suite")
    .example("$0 check 'skills/*' --fail-on warning", 'check all skills, in CI')
    .example('$0 check skills --overlap', 'find descriptions that an agent may confuse')
    .example(
      '$0 check --critique workspaces/pdf',
      'suggest edits to the suite from the newest benchmark of a workspace',
    )
    .example(
      '$0 check skills/pdf --null --oracle',
      'test that checks accept the reference answer and reject an empty one',
    )
}

export function addCheck(args: Argv, done: SetExitCode): Argv {
  const describe = 'Find problems in skills and suites, without a model'
  return args.command('check [skill..]', describe, checkOptions, async (parsed) => {
    const { skill: skills, judge = null, json, failOn } = parsed
    if (parsed.critique !== undefined) return done(await runCritique(parsed, parsed.critique))
    if (skills.length === 0) throw new UserError('check needs <skill>', 'see whetstone check --help')
    const trials = [...(parsed.null ? (['null'] as const) : []), ...(parsed.oracle ? (['oracle'] as const) : [])]
    if (judge !== null && trials.length === 0) {
      throw new UserError('--judge without --null or --oracle', 'add --null or --oracle')
    }
    const { checkSkills } = await import('../../../flows/check/check.ts')
    const { createConfigFinder } = await import('../../config/config_problems.ts')
    const findConfigProblems = createConfigFinder(process.env)
    const request = {
      skills,
      suite: parsed.suite ?? null,
      changed: parsed.changed ?? null,
      trials,
      overlap: parsed.overlap,
      judge,
      sandbox: sandboxWish(parsed),
      backend: parsed.backend,
      findConfigProblems: async (place: string) => findConfigProblems(await locateSkillConfig(place, parsed.suite)),
    }
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

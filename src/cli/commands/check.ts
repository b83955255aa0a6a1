/** `whetstone check`: all problems of skills and suites at once, without a model. */
import type { Argv } from 'yargs'
import { UserError } from '../../base/error.ts'
import { sandboxFlags, sandboxWish } from './sandbox_flags.ts'
import { type Done, withFlow, withJson } from './shared.ts'

function checkOptions(args: Argv) {
  return withJson(args)
    .option('json', { type: 'boolean', default: false, describe: 'the whole report as one JSON document on stdout' })
    .positional('skill', {
      type: 'string',
      array: true,
      demandOption: true,
      describe: 'skill folders, suite files, folders that hold skills, or globs',
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
    .option('judge', {
      type: 'string',
      requiresArg: true,
      describe: 'who decides expectations of --null and --oracle: engine[:model]; without it they stay undecided',
    })
    .options(sandboxFlags)
    .usage(
      '$0 check <skill..> [options]\n\nall problems of skills and suites at once, without a model\n\nEvery rule is in docs/check.md. One broken skill never stops the others.',
    )
    .example('$0 check skills/pdf', 'one skill and its suite')
    .example("$0 check 'skills/*' --fail-on warning", 'all of them, in CI')
    .example('$0 check skills/pdf --null --oracle', 'do the checks tell a good answer from none?')
}

export function addCheck(args: Argv, done: Done): Argv {
  const describe = 'all problems of skills and suites at once, without a model'
  return args.command('check <skill..>', describe, checkOptions, async (parsed) => {
    const { skill: skills, judge = null, json, failOn } = parsed
    const trials = [...(parsed.null ? (['null'] as const) : []), ...(parsed.oracle ? (['oracle'] as const) : [])]
    if (judge !== null && trials.length === 0) {
      throw new UserError('--judge: there is nothing to judge', 'give --null or --oracle with it')
    }
    const { check } = await import('../../flows/check.ts')
    const { showProblems } = await import('../show_problems.ts')
    const request = { skills, trials, judge, sandbox: sandboxWish(parsed) }
    const { result } = await withFlow({ json, concurrency: 1 }, (context) => check(request, context))
    done(showProblems(result, { json, failOn }))
  })
}

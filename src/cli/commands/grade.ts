/** `whetstone grade`: grades finished runs again, without running them. */
import type { Argv } from 'yargs'
import { type Done, showResult, wholeNumber, withFlow, withJson } from './shared.ts'

function gradeOptions(args: Argv) {
  return withJson(args)
    .positional('benchmark', {
      type: 'string',
      demandOption: true,
      describe: 'a benchmark folder (it holds plan.json)',
    })
    .option('judge', {
      type: 'string',
      requiresArg: true,
      describe: 'who grades: engine[:model] or a model; as planned if not given',
    })
    .option('case', {
      type: 'string',
      array: true,
      nargs: 1,
      default: [] as string[],
      describe: 'only these cases: id, name or glob (repeatable)',
    })
    .option('again', {
      type: 'boolean',
      default: false,
      describe: 'grade even what was graded with the same criteria and judge',
    })
    .option('concurrency', {
      type: 'number',
      requiresArg: true,
      default: 4,
      coerce: wholeNumber('concurrency', 1, 256),
      describe: 'gradings at once',
    })
    .option('pass-env', {
      type: 'string',
      array: true,
      nargs: 1,
      default: [] as string[],
      describe: 'environment variables that checks may see (repeatable)',
    })
    .usage(
      '$0 grade <benchmark> [options]\n\ngrade finished runs again, without running them\n\nTakes the criteria that the suite has now, so you can edit expectations and\nchecks and pay for no run. Then it writes benchmark.json anew.',
    )
    .example('$0 grade workspaces/pdf/benchmarks/2026-01-15T10-30-00Z', 'after editing the expectations')
    .example('$0 grade <benchmark> --judge anthropic:opus --again', 'with another judge')
}

export function addGrade(args: Argv, done: Done): Argv {
  return args.command(
    'grade <benchmark>',
    'grade finished runs again, without running them',
    gradeOptions,
    async (parsed) => {
      const { grade } = await import('../../flows/grade.ts')
      const { benchmark, judge = null, case: cases, again, concurrency, passEnv, json } = parsed
      const request = { benchmark, judge, cases, again, concurrency, passEnv }
      const { result, interrupted } = await withFlow({ json, concurrency }, (context) => grade(request, context))
      done(await showResult(result, { json, interrupted }))
    },
  )
}

/** `whetstone bench`: two arms: does the skill help? */
import type { Argv } from 'yargs'
import type { ManyRequest } from '../../flows/bench_many.ts'
import type { BenchRequest, Prepared } from '../../flows/prepare.ts'
import { exitCodes } from '../exit.ts'
import { showResult } from '../show.ts'
import { benchFlags } from './bench_flags.ts'
import { type Done, withFlow, withJson } from './shared.ts'

function benchOptions(args: Argv) {
  return withJson(args)
    .positional('skill', {
      type: 'string',
      array: true,
      demandOption: true,
      describe: 'folders that hold SKILL.md; several are benched one after another, with an index over all',
    })
    .options(benchFlags)
    .usage(
      '$0 bench <skill..> [options]\n\ntwo arms: does the skill help?\n\nRuns each case of evals/evals.json with the skill and without it, grades every run, and writes\nbenchmark.json, benchmark.md and report.html. After an interruption the same command does only\nwhat is missing.',
    )
    .example('$0 bench skills/pdf --dry-run', 'see the plan first')
    .example('$0 bench skills/pdf --engine claude-code:sonnet --runs 5', 'Claude Code, five runs an arm')
    .example('$0 bench skills/pdf --baseline git:main', 'this version against the one on main')
    .example(
      '$0 bench skills/pdf --engine "command:./agent.sh" --judge anthropic:haiku',
      'your own agent, an API judge',
    )
    .example('$0 bench skills/*', 'many skills, one table')
    .example('$0 bench skills/pdf --matrix anthropic:haiku,anthropic:sonnet', 'which model?')
    .example("$0 bench skills/pdf --case 3 --case 'table-*' --json", 'some cases, events as JSON lines')
}

/** Adds the command; `done` gets its exit code. */
export function addBench(args: Argv, done: Done): Argv {
  return args.command('bench <skill..>', 'two arms: does the skill help?', benchOptions, async (parsed) => {
    const request = requestOf(parsed)
    const { skill: skills, matrix = null, json, dryRun } = parsed
    const [skill = '', ...others] = skills
    if (others.length > 0 || matrix !== null) done(await benchSeveral({ ...request, skills, matrix }, { json, dryRun }))
    else if (dryRun) done(await planAndShow({ ...request, skill }, json))
    else done(await benchAndShow({ ...request, skill }, json))
  })
}

type BenchArguments = Awaited<ReturnType<typeof benchOptions>['argv']>

function requestOf(parsed: BenchArguments): Omit<BenchRequest, 'skill'> {
  return {
    suite: parsed.suite ?? null,
    baseline: parsed.baseline ?? null,
    cases: parsed.case,
    engine: parsed.engine,
    model: parsed.model ?? null,
    judge: parsed.judge ?? null,
    runs: parsed.runs,
    concurrency: parsed.concurrency,
    timeoutSeconds: parsed.timeout,
    maxTurns: parsed.maxTurns ?? null,
    retries: parsed.retries,
    activation: parsed.activation,
    onTimeout: parsed.onTimeout,
    workspace: parsed.workspace ?? null,
    fresh: parsed.fresh,
    passEnv: parsed.passEnv,
  }
}

async function benchAndShow(request: BenchRequest, json: boolean): Promise<number> {
  const { bench } = await import('../../flows/bench.ts')
  const { concurrency } = request
  const { result, interrupted } = await withFlow({ json, concurrency }, (context) => bench(request, context))
  return showResult(result, { json, interrupted })
}

async function benchSeveral(request: ManyRequest, how: { json: boolean; dryRun: boolean }): Promise<number> {
  const { json, dryRun } = how
  const { concurrency } = request
  if (dryRun) {
    const { planMany } = await import('../../flows/bench_many.ts')
    const { result } = await withFlow({ json, concurrency }, (context) => planMany(request, context))
    return showPlans(result, json)
  }
  const { benchMany } = await import('../../flows/bench_many.ts')
  const { showIndex } = await import('../show_index.ts')
  const { result, interrupted } = await withFlow({ json, concurrency }, (context) => benchMany(request, context))
  return showIndex(result, { json, interrupted })
}

async function planAndShow(request: BenchRequest, json: boolean): Promise<number> {
  const { planBench } = await import('../../flows/bench.ts')
  const { result } = await withFlow({ json, concurrency: 1 }, (context) => planBench(request, context))
  return showPlans([result], json)
}

async function showPlans(plans: readonly Prepared[], json: boolean): Promise<number> {
  const { planLines } = await import('../plan_lines.ts')
  const texts = plans.map((prepared) => (json ? JSON.stringify(prepared.plan) : planLines(prepared).join('\n')))
  process.stdout.write(`${texts.join(json ? '\n' : '\n\n')}\n`)
  return exitCodes.done
}

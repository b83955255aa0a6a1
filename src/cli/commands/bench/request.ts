/** The options of `bench` on a command line, and the request that they describe. */
import type { Argv } from 'yargs'
import type { BenchRequest } from '../../../flows/prepare/prepare_bench.ts'
import { parseBaselineAge } from '../options/baseline_age.ts'
import { resolveDesign, resolveRuns } from '../options/design_flags.ts'
import { judgingWish } from '../options/judge_flags.ts'
import { parseLimits } from '../options/limit_flags.ts'
import { queueWish } from '../options/queue_flags.ts'
import { withJson } from '../options/run_flow.ts'
import { sandboxWish } from '../options/sandbox_flags.ts'
import { sharedCacheWish } from '../options/shared_cache_flags.ts'
import { benchFlags } from './options.ts'

export function benchOptions(args: Argv) {
  return withJson(args)
    .positional('skill', {
      type: 'string',
      array: true,
      demandOption: true,
      describe: 'skills, plugins, Harbor tasks, or a pattern',
    })
    .options(benchFlags)
    .usage(
      '$0 bench <skill..> [options]\n\nRun each case with and without the skill, grade the runs and write a report.\nThe same command resumes after an interruption.',
    )
    .example('$0 bench skills/pdf --dry-run', 'see the plan first')
    .example('$0 bench skills/pdf --engine claude-code:sonnet --runs 5', 'Claude Code, five runs per configuration')
    .example('$0 bench skills/pdf --baseline git:main', 'this version against the one on main')
    .example(
      '$0 bench skills/pdf --engine "command:./agent.sh" --judge anthropic:haiku',
      'your own agent, an API judge',
    )
}

export type BenchArguments = Awaited<ReturnType<typeof benchOptions>['argv']>

export function buildBenchRequest(parsed: BenchArguments): Omit<BenchRequest, 'skill'> {
  return {
    suite: parsed.suite ?? null,
    baseline: parsed.baseline ?? null,
    naming: { name: parsed.name ?? null, description: parsed.description ?? null },
    ...(parsed.among.length > 0 && { among: parsed.among }),
    cases: parsed.case,
    shard: parsed.shard ?? null,
    engine: parsed.engine,
    model: parsed.model ?? null,
    judge: parsed.judge ?? null,
    user: parsed.user ?? null,
    effort: parsed.effort ?? null,
    baseUrl: parsed.baseUrl ?? null,
    skillsFolder: parsed.skillsFolder ?? null,
    judging: judgingWish(parsed),
    judgeBatch: parsed.judgeBatch,
    ...resolveRuns(parsed),
    ...resolveDesign(parsed),
    margin: parsed.margin ?? null,
    concurrency: parsed.concurrency,
    timeoutSeconds: parsed.timeout ?? null,
    pace: { idleMs: parsed.idleTimeout * 1000 },
    maxTurns: parsed.maxTurns ?? null,
    retries: parsed.retries,
    activation: parsed.activation,
    liveMcp: parsed.liveMcp,
    onTimeout: parsed.onTimeout,
    workspace: parsed.workspace ?? null,
    fresh: parsed.fresh,
    calibrate: parsed.calibrate,
    cache: parsed.cache && !parsed.lastFailed,
    transcripts: parsed.transcripts,
    sharedCache: sharedCacheWish(parsed, process.env),
    baselineAgeMs: parseBaselineAge(parsed.baselineAge),
    allowInvalid: parsed.allowInvalid,
    passEnv: parsed.passEnv,
    limits: parseLimits(parsed),
    sandbox: sandboxWish(parsed),
    backend: parsed.backend,
    links: parsed.links,
    queue: queueWish(parsed, process.env),
  }
}

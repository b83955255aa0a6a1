/** The options of `bench` on a command line, and the request that they describe. */
import type { Argv } from 'yargs'
import type { BenchRequest } from '../../../flows/prepare/prepare_bench.ts'
import { parseBaselineAge } from '../options/baseline_age.ts'
import { resolveDesign, resolveRuns } from '../options/design_flags.ts'
import { queueWish } from '../options/queue_flags.ts'
import { withJson } from '../options/run_flow.ts'
import { sharedCacheWish } from '../options/shared_cache_flags.ts'
import { benchFlags } from './options.ts'
import { readSkillRunSettings } from './run_settings.ts'

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
    ...readSkillRunSettings(parsed),
    baseline: parsed.baseline ?? null,
    naming: { name: parsed.name ?? null, description: parsed.description ?? null },
    ...(parsed.among.length > 0 && { among: parsed.among }),
    cases: parsed.case,
    shard: parsed.shard ?? null,
    judgeBatch: parsed.judgeBatch,
    ...resolveRuns(parsed),
    ...resolveDesign(parsed),
    margin: parsed.margin ?? null,
    liveMcp: parsed.liveMcp,
    fresh: parsed.fresh,
    calibrate: parsed.calibrate,
    cache: parsed.cache && !parsed.lastFailed,
    transcripts: parsed.transcripts,
    sharedCache: sharedCacheWish(parsed, process.env),
    baselineAgeMs: parseBaselineAge(parsed.baselineAge),
    backend: parsed.backend,
    queue: queueWish(parsed, process.env),
  }
}

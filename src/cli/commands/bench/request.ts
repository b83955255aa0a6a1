/** The options of `bench` on a command line, and the request that they describe. */
import { statSync } from 'node:fs'
import path from 'node:path'
import type { Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { readSigningKey } from '../../../base/secrets/signing_key.ts'
import type { BenchRequest } from '../../../flows/prepare/prepare_bench.ts'
import { createSealer, type SharedCacheWish } from '../../../store/cache/cache.ts'
import { parseAge } from '../options/common_flags.ts'
import { resolveDesign, resolveRuns } from '../options/design_flags.ts'
import { addRemoteFlags, openRemote } from '../options/remote_flags.ts'
import { withJson } from '../options/run_flow.ts'
import { benchFlags } from './options.ts'
import { readSkillRunSettings } from './run_settings.ts'

export function benchOptions(args: Argv) {
  return addRemoteFlags(withJson(args))
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
    baselineAgeMs: parseAge('baseline-age', parsed.baselineAge),
    backend: parsed.backend,
    remote: openRemote(parsed, process.env),
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** null: none requested. Throws UserError for a place that can't be used, and without a key. */
function sharedCacheWish(
  { sharedCache, cacheKeyFile }: Pick<BenchArguments, 'sharedCache' | 'cacheKeyFile'>,
  env: Environment,
): SharedCacheWish | null {
  const file = cacheKeyFile ?? null
  const place = sharedCache ?? (env.WHETSTONE_SHARED_CACHE?.trim() || undefined)
  if (place === undefined) {
    if (file === null) return null
    throw new UserError('--cache-key-file without --shared-cache', 'add --shared-cache with a folder')
  }
  const folder = sharedFolder(place)
  const key = readSigningKey({ flag: '--cache-key-file', file, variable: 'WHETSTONE_CACHE_KEY', env })
  if (key !== null) return { folder, sealer: createSealer(key) }
  throw new UserError(
    `--shared-cache ${folder}: no key; only signed runs are read and written`,
    'set WHETSTONE_CACHE_KEY, or use --cache-key-file (create one: openssl rand -hex 32 > cache.key)',
  )
}

function sharedFolder(place: string): string {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(place)) {
    throw new UserError('--shared-cache: expected a folder, such as a mounted bucket, not an address')
  }
  const folder = path.resolve(place)
  const isFolder = (at: string) => statSync(at, { throwIfNoEntry: false })?.isDirectory()
  // a missing folder is created, since CI may have nothing to restore yet; one in a missing folder is a mistake
  if (isFolder(folder) ?? isFolder(path.dirname(folder))) return folder
  throw new UserError(`--shared-cache ${place}: no such folder`, 'mount it, or create it: mkdir -p')
}

/** What each setting of a configuration file can widen. A repository brings such files, so what widens counts only once the user confirmed it. */
import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import type { Options } from 'yargs'
import { escapesFolder } from '../../base/fs/inside_folder.ts'
import { cloudNames } from '../../engines/clouds/table.ts'
import { mentionsCommand } from '../../engines/table.ts'
import type { Setting } from './read_config.ts'

type TrustClass =
  /** Shapes the benchmark. */
  | { kind: 'free' }
  /** Names an engine or a model: widens if it names a program, an address or a cloud. */
  | { kind: 'name' }
  /** Widens outside of the folder of the file. */
  | { kind: 'path' }
  /** Widens above the value of the user's own file, else above the default. */
  | { kind: 'limit'; effect: string }
  /** The same for words, in this order. */
  | { kind: 'level'; levels: readonly string[]; effect: string }
  /** Widens what runs, what is reachable, what is spent or who gets a key. */
  | { kind: 'power'; effect: string }

const free: TrustClass = { kind: 'free' }
const name: TrustClass = { kind: 'name' }
const place: TrustClass = { kind: 'path' }
const power = (effect: string): TrustClass => ({ kind: 'power', effect })
const limit = (effect: string): TrustClass => ({ kind: 'limit', effect })
const level = (effect: string, ...levels: string[]): TrustClass => ({ kind: 'level', levels, effect })

const server = 'sends runs to other machines'

/** Every key of every command; a test finds a key that is missing here. */
export const trustClasses: Readonly<Record<string, TrustClass>> = {
  activation: free,
  'agents-root': place,
  'allow-invalid': free,
  'allow-read': power('lets agents read this'),
  alone: free,
  among: place,
  'ask-above-cost': limit('spends more before you are asked'),
  'ask-above-minutes': limit('runs longer before you are asked'),
  backend: power('chooses where tasks run'),
  'base-url': power('sends your key to this server'),
  baseline: place,
  'baseline-age': free,
  'baseline-runs': free,
  budget: limit('spends more than your own file allows'),
  'budget-tokens': limit('spends more than your own file allows'),
  cache: free,
  'cache-key-file': power('reads this key'),
  case: free,
  cases: free,
  'certify-judge': name,
  'certify-runs': free,
  concurrency: free,
  'confirm-on': name,
  'cost-per-run': power('changes what a run counts towards the budget'),
  deadline: limit('runs longer than your own file allows'),
  effort: free,
  engine: name,
  'fail-on': free,
  format: free,
  gate: free,
  goal: free,
  'idle-timeout': free,
  'in-flight': free,
  isolate: free,
  iterations: free,
  judge: name,
  'judge-batch': free,
  'judge-effort': free,
  'judge-samples': free,
  keep: free,
  'key-file': power('reads this key'),
  links: level('copies what links outside of the skill lead to', 'refuse', 'copy'),
  'live-mcp': level('starts MCP servers instead of their recordings', 'false', 'true'),
  margin: free,
  matrix: name,
  'max-cost-increase': free,
  'max-loss': free,
  'max-runs': free,
  'max-time-increase': free,
  'max-turns': free,
  'max-wait': free,
  model: name,
  network: level('opens the network for agents', 'none', 'setup', 'open'),
  'on-timeout': free,
  pairs: free,
  'pass-env': power('shows this variable to agents'),
  prices: power('changes what a run counts towards the budget'),
  'propose-timeout': free,
  proposer: name,
  protect: free,
  queue: power(server),
  'queue-ca': power('trusts the certificates that this one signs'),
  'queue-password-file': power('sends this password to the queue server'),
  'queue-wait': free,
  'quiet-nights': free,
  report: free,
  reporter: place,
  'require-evidence': free,
  retries: free,
  runs: free,
  'runs-per-night': free,
  sample: free,
  sandbox: level('runs agents and commands without a sandbox', 'required', 'auto', 'off'),
  'screening-runs': free,
  seed: free,
  set: place,
  shared: power(server),
  'shared-cache': power('shares runs with other machines'),
  'skills-folder': free,
  'stop-early': free,
  suite: place,
  'summary-only': free,
  tags: power(server),
  'test-runs': free,
  threshold: free,
  timeout: free,
  'total-runs': free,
  transcripts: level('keeps transcripts and outputs', 'false', 'true'),
  'trust-suite': level('runs commands of the suite without a question', 'false', 'true'),
  until: free,
  user: name,
  'whole-plugin': free,
  workspace: place,
}

export interface TrustContext {
  /** The configuration file, absolute, the links of its folder resolved. */
  file: string
  /** The values of the user's own file, by key. */
  own: ReadonlyMap<string, readonly string[]>
  flags: Readonly<Record<string, Options>>
}

/** What this setting of a repository's file would widen; null: nothing. A key without a class widens. */
export function describeWidening({ key, values }: Pick<Setting, 'key' | 'values'>, context: TrustContext) {
  const found = values.map((value) => describeValue(key, value, context))
  return found.find((one) => one !== null) ?? null
}

function describeValue(key: string, value: string, { file, own, flags }: TrustContext): string | null {
  const trust = trustClasses[key] ?? power('is not known to be harmless')
  const usual: unknown = own.get(key)?.at(-1) ?? flags[key]?.default
  switch (trust.kind) {
    case 'free':
      return null
    case 'name':
      if (mentionsCommand(value)) return 'starts this program with your keys'
      if (value.includes('://')) return 'sends your key to this server'
      return cloudNames.some((cloud) => value.includes(`${cloud}:`)) ? 'uses your account of this cloud' : null
    case 'path':
      return writtenPlaces(key, value).every((one) => isInside(one, path.dirname(file)))
        ? null
        : 'leads out of the folder of the file'
    case 'limit':
      return usual === undefined || value === String(usual) || Number(value) <= Number(usual) ? null : trust.effect
    case 'level':
      return trust.levels.indexOf(value) <= Math.max(0, trust.levels.indexOf(String(usual))) ? null : trust.effect
    case 'power':
      return trust.effect
  }
}

/** The places that a value names; relative ones are those of the current folder, as for the flag. */
function writtenPlaces(key: string, value: string): string[] {
  if (key === 'baseline' && value.startsWith('git:')) return []
  if (key !== 'reporter') return [path.resolve(value)]
  return value.split(',').flatMap((one) => {
    const [, written] = /^[^:]*:(.+)$/s.exec(one.trim()) ?? []
    return written === undefined ? [] : [path.resolve(written.trim())]
  })
}

/** Files of git decide what it runs, so they are not inside, also behind a link and where a disk does not tell .GIT from .git. */
function isInside(target: string, folder: string): boolean {
  const isOfGit = (place: string) => path.relative(folder, place).toLowerCase().split(path.sep).includes('.git')
  return !escapesFolder(folder, target) && !isOfGit(target) && !isOfGit(resolveExisting(target))
}

/** Where the place, or the nearest folder above it that exists, really is. */
function resolveExisting(place: string): string {
  return existsSync(place) ? realpathSync.native(place) : resolveExisting(path.dirname(place))
}

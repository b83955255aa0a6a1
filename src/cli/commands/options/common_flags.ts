/** Flags that several commands share, and what they ask for. */
import { UserError } from '../../../base/errors/error.ts'
import type { JudgingWish } from '../../../flows/prepare/choose_engine.ts'
import type { Shard } from '../../../phases/1-plan/plan/select_shard.ts'
import { type Flags, free, level, list, onOff, power, refuseValue, text, whole } from './flag.ts'
import { durationMs } from './limit_flags.ts'

export const commonFlags = {
  case: { ...list, section: 'Common', trust: free, describe: 'only these cases: id, name or glob' },
  changed: { ...text, section: 'Common', describe: 'only what a branch touches, since this ref' },
  shard: { ...text, coerce: parseShard, section: 'Planning', describe: 'one part of the cases, such as 1/4' },
  effort: { ...text, trust: free, describe: 'how hard the model thinks, such as low or high' },
  'base-url': { ...text, trust: power('sends your key to this server'), describe: "URL of the judge's server" },
  'allow-invalid': { ...onOff, trust: free, describe: 'skip invalid cases and run the others (exit 3)' },
  'live-mcp': {
    ...onOff,
    trust: level('starts MCP servers instead of their recordings', 'false', 'true'),
    describe: 'start MCP servers even where evals/mcp has their answers',
  },
  links: {
    choices: ['copy', 'refuse'] as const,
    defaultDescription: 'copy within its git repository',
    trust: level('copies what links outside of the skill lead to', 'refuse', 'copy'),
    describe: 'links that lead out of the skill',
  },
  backend: {
    choices: ['auto', 'plain', 'docker', 'podman'] as const,
    default: 'auto' as const,
    requiresArg: true,
    trust: power('chooses where tasks run'),
    describe: 'where Harbor tasks run: containers, or plain (bubblewrap)',
  },
  'baseline-age': {
    ...words('baseline-age', (given) => readAge(given) !== null, 'an age such as 12h or 7d', '24h'),
    default: '24h',
    trust: free,
    describe: 'test reused runs older than this for drift',
  },
  'max-wait': {
    ...words('max-wait', (given) => durationMs(given) !== null, 'a duration such as 15m, 2s or 1h30m', '15m'),
    default: '15m',
    trust: free,
    forAll: true,
    describe: 'longest wait for a provider without progress',
  },
} satisfies Flags

export const judgeFlags = {
  'judge-samples': {
    ...whole('judge-samples', 1, 99),
    trust: free,
    describe: 'votes per expectation; the majority counts',
  },
  'judge-batch': { ...onOff, trust: free, describe: "ask the judge by its provider's batch API, at half the price" },
  'require-evidence': {
    type: 'boolean',
    trust: free,
    describe: 'a pass without verified evidence is a judge error',
  },
  'judge-effort': { ...text, trust: free, describe: 'how hard the judge thinks, such as high' },
} satisfies Flags

export function judgingWish(given: {
  judgeSamples?: number | undefined
  requireEvidence?: boolean | undefined
  judgeEffort?: string | undefined
}): JudgingWish {
  return {
    samples: given.judgeSamples ?? null,
    requireEvidence: given.requireEvidence ?? null,
    effort: given.judgeEffort ?? null,
  }
}

export function concurrencyFlag(what: string) {
  const flag = { ...whole('concurrency', 1, 1000), default: 4, describe: `${what} at once` }
  return { concurrency: { ...flag, section: 'Limits', trust: free, forAll: true } } satisfies Flags
}

export function passEnvFlag(who: string) {
  const trust = power('shows this variable to agents')
  const describe = `environment variables that ${who} may see`
  return { 'pass-env': { ...list, section: 'Sandbox', trust, describe } } satisfies Flags
}

export function seedFlag(what: string) {
  return {
    seed: { ...whole('seed', 0, 2 ** 31), default: 1, trust: free, describe: `random seed of ${what}` },
  } satisfies Flags
}

export function configFlags(instead: string) {
  return {
    'print-config': { ...onOff, describe: `print every setting with its origin, ${instead}` },
    'trust-config': { ...onOff, describe: 'trust the configuration file' },
  } satisfies Flags
}

export const askNobodyFlag = {
  'dry-run': { ...onOff, section: 'Common', describe: 'print what would be asked, ask nothing' },
} satisfies Flags

/** A text of a form. */
function words(flag: string, isValid: (given: string) => boolean, expected: string, example: string) {
  const coerce = (value: unknown): string => {
    if (typeof value === 'string' && isValid(value)) return value
    throw refuseValue(`--${flag}: expected ${expected}`, `use a value such as --${flag} ${example}`)
  }
  return { ...text, coerce }
}

function parseShard(value: unknown): Shard {
  const [, first, last] = /^(\d{1,4})\/(\d{1,4})$/.exec(String(value)) ?? []
  const [index, of] = [Number(first), Number(last)]
  if (index >= 1 && index <= of) return { index, of }
  throw refuseValue('--shard: expected a part such as 1/4, from 1/4 to 4/4', 'use a part such as --shard 1/4')
}

const ages: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Milliseconds of 90m, 12h, 30d or 2w. Throws UserError that names the flag. */
export function parseAge(flag: string, text: string): number {
  const age = readAge(text)
  const what = 'an age such as 12h, 30d or 2w'
  if (age === null) throw new UserError(`--${flag}: expected ${what}, got "${text}"`, `use ${what}`)
  return age
}

function readAge(text: string): number | null {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([smhdw])$/i.exec(text.trim()) ?? []
  const ms = ages[unit.toLowerCase()]
  return ms === undefined ? null : Number(number) * ms
}

/** Flags that several commands share, with a description for each command. */
import type { Options } from 'yargs'
import type { Shard } from '../../../phases/1-plan/plan/select_shard.ts'
import { durationMs } from './deadline.ts'
import { refuseForm } from './refused_value.ts'
import { wholeNumber } from './run_flow.ts'

const repeatable = { type: 'string', array: true, nargs: 1, default: [] as string[] } as const
const once = { type: 'boolean', default: false } as const

export const caseFlag = {
  case: { ...repeatable, describe: 'only these cases: id, name or glob' },
} satisfies Record<string, Options>

export const changedFlag = {
  changed: { type: 'string', requiresArg: true, describe: 'only what a branch touches, since this ref' },
} satisfies Record<string, Options>

export const shardFlag = {
  shard: {
    type: 'string',
    requiresArg: true,
    coerce: parseShard,
    describe: 'one part of the cases, such as 1/4',
  },
} satisfies Record<string, Options>

function parseShard(value: unknown): Shard | undefined {
  if (value === undefined) return undefined
  const [, first, last] = /^(\d{1,4})\/(\d{1,4})$/.exec(String(value)) ?? []
  const [index, of] = [Number(first), Number(last)]
  if (index >= 1 && index <= of) return { index, of }
  throw refuseForm('shard', 'a part such as 1/4, from 1/4 to 4/4', 'use a part such as --shard 1/4')
}

export const effortFlag = {
  effort: { type: 'string', requiresArg: true, describe: 'how hard the model thinks, such as low or high' },
} satisfies Record<string, Options>

export const judgeServerFlag = {
  'base-url': { type: 'string', requiresArg: true, describe: "URL of the judge's server" },
} satisfies Record<string, Options>

export function concurrencyFlag(what: string) {
  return {
    concurrency: {
      type: 'number',
      requiresArg: true,
      default: 4,
      coerce: wholeNumber('concurrency', 1, 1000),
      describe: `${what} at once`,
    },
  } satisfies Record<string, Options>
}

export function passEnvFlag(who: string) {
  return {
    'pass-env': { ...repeatable, describe: `environment variables that ${who} may see` },
  } satisfies Record<string, Options>
}

export function seedFlag(what: string) {
  return {
    seed: {
      type: 'number',
      requiresArg: true,
      default: 1,
      coerce: wholeNumber('seed', 0, 2 ** 31),
      describe: `random seed of ${what}`,
    },
  } satisfies Record<string, Options>
}

export function configFlags(instead: string) {
  return {
    'print-config': {
      ...once,
      describe: `print every setting with its origin, ${instead}`,
    },
    'trust-config': { ...once, describe: 'trust the configuration file' },
  } satisfies Record<string, Options>
}

export const allowInvalidFlag = {
  'allow-invalid': {
    ...once,
    describe: 'skip invalid cases and run the others (exit 3)',
  },
} satisfies Record<string, Options>

/** For every command that waits for providers. */
export const liveMcpFlag = {
  'live-mcp': {
    type: 'boolean',
    default: false,
    describe: 'start MCP servers even where evals/mcp has their answers',
  },
} satisfies Record<string, Options>

export const maxWaitFlag = {
  'max-wait': {
    type: 'string',
    requiresArg: true,
    default: '15m',
    coerce: (value: unknown): string => {
      if (typeof value === 'string' && durationMs(value) !== null) return value
      throw refuseForm('max-wait', 'a duration such as 15m, 2s or 1h30m', 'use a duration such as --max-wait 15m')
    },
    describe: 'longest wait for a provider without progress',
  },
} satisfies Record<string, Options>

export const askNobodyFlag = {
  'dry-run': { ...once, describe: 'print what would be asked, ask nothing' },
} satisfies Record<string, Options>

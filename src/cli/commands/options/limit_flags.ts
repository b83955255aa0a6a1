/** Flags that limit a benchmark's spending and end time. */
import type { Options } from 'yargs'
import type { Limits } from '../../../flows/limits/limits.ts'
import { parseDeadline, startCountdown } from './deadline.ts'
import { refuseForm } from './refused_value.ts'
import { wholeNumber } from './run_flow.ts'

export const pricesFlag = {
  prices: { type: 'string', requiresArg: true, describe: 'file with your prices of models (YAML or JSON)' },
} satisfies Record<string, Options>

export const limitFlags = {
  budget: {
    type: 'number',
    requiresArg: true,
    coerce: dollars('budget'),
    describe: 'stop starting runs at this cost in dollars',
  },
  'budget-tokens': {
    type: 'number',
    requiresArg: true,
    coerce: wholeNumber('budget-tokens', 1, 1e12),
    describe: 'stop starting runs after this many tokens',
  },
  'cost-per-run': {
    type: 'number',
    requiresArg: true,
    coerce: dollars('cost-per-run'),
    describe: 'assumed cost (USD) of a run that reports none',
  },
  ...pricesFlag,
  deadline: {
    type: 'string',
    requiresArg: true,
    describe: 'cancel what still runs at this time: 30m or 18:00',
  },
  'ask-above-cost': {
    type: 'number',
    requiresArg: true,
    default: 5,
    coerce: atLeastZero('ask-above-cost'),
    describe: 'ask before spending more dollars than this',
  },
  'ask-above-minutes': {
    type: 'number',
    requiresArg: true,
    default: 30,
    coerce: atLeastZero('ask-above-minutes'),
    describe: 'ask before running for more minutes than this',
  },
  yes: { type: 'boolean', alias: 'y', default: false, describe: 'answer yes to all questions' },
} satisfies Record<string, Options>

interface LimitArguments {
  budget?: number | undefined
  budgetTokens?: number | undefined
  costPerRun?: number | undefined
  deadline?: string | undefined
}

/** Throws UserError for a deadline that is invalid or has passed. */
export function parseLimits({ budget, budgetTokens, costPerRun, deadline }: LimitArguments): Limits {
  const left = deadline === undefined ? null : startCountdown(deadline)
  return {
    ...(left !== null && { deadlineLeft: left }),
    budget: budget ?? null,
    budgetTokens: budgetTokens ?? null,
    costPerRun: costPerRun ?? null,
    deadline: deadline === undefined ? null : parseDeadline(deadline, new Date()),
  }
}

function atLeastZero(flag: string) {
  return (value: unknown): number => {
    if (typeof value === 'number' && value >= 0) return value
    throw refuseForm(flag, 'a number of at least 0', `use a number such as --${flag} 5 (0: always ask)`)
  }
}

function dollars(flag: string) {
  return (value: unknown): number => {
    if (typeof value === 'number' && value > 0 && value <= 1e6) return value
    throw refuseForm(flag, 'an amount in dollars above 0', `use a number such as --${flag} 2.50`)
  }
}

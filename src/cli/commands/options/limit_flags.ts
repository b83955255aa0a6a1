/** Flags that limit a benchmark's spending and end time. */
import type { Options } from 'yargs'
import type { Limits } from '../../../flows/limits/limits.ts'
import { parseDeadline, startCountdown } from './deadline.ts'
import { refuseValue } from './refused_value.ts'
import { wholeNumber } from './run_flow.ts'

export const limitFlags = {
  budget: {
    type: 'number',
    requiresArg: true,
    coerce: dollars('budget'),
    describe: 'dollars that all runs and gradings together may cost; then no further run is started (exit 3)',
  },
  'budget-tokens': {
    type: 'number',
    requiresArg: true,
    coerce: wholeNumber('budget-tokens', 1, 1e12),
    describe: 'the same in tokens',
  },
  'cost-per-run': {
    type: 'number',
    requiresArg: true,
    coerce: dollars('cost-per-run'),
    describe: 'dollars that a run or a grading counts for --budget whose cost is not reported',
  },
  deadline: {
    type: 'string',
    requiresArg: true,
    describe: 'when it must be over: 30m, 18:00 or 2026-11-21T18:00Z; then what runs is cancelled (exit 3)',
  },
  'ask-above-cost': {
    type: 'number',
    requiresArg: true,
    default: 5,
    coerce: atLeastZero('ask-above-cost'),
    describe: 'on a terminal, ask before starting what will cost more dollars, by what earlier runs cost',
  },
  'ask-above-minutes': {
    type: 'number',
    requiresArg: true,
    default: 30,
    coerce: atLeastZero('ask-above-minutes'),
    describe: 'likewise, what will take more minutes',
  },
  yes: { type: 'boolean', alias: 'y', default: false, describe: 'ask nothing' },
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
    throw refuseValue(`--${flag}: not a number from 0`, `such as --${flag} 5; 0 asks always`)
  }
}

function dollars(flag: string) {
  return (value: unknown): number => {
    if (typeof value === 'number' && value > 0 && value <= 1e6) return value
    throw refuseValue(`--${flag}: not an amount of dollars above 0`, `such as --${flag} 2.50`)
  }
}

/** Flags that limit a benchmark's spending and end time. */
import type { Limits } from '../../../flows/limits/limits.ts'
import { parseDeadline, startCountdown } from './deadline.ts'
import { type Flags, limit, numeric, onOff, power, powerPath, text, whole } from './flag.ts'

const isDollars = (sum: number) => sum > 0 && sum <= 1e6
const dollars = (flag: string) => numeric(flag, isDollars, 'an amount in dollars above 0', '2.50')
const atLeastZero = (flag: string) => numeric(flag, (sum) => sum >= 0, 'a number of at least 0', '5 (0: always ask)')

export const pricesFlag = {
  prices: {
    ...text,
    trust: powerPath('changes what a run counts towards the budget'),
    forAll: true,
    describe: 'file with your prices of models (YAML or JSON)',
  },
} satisfies Flags

export const spendingFlags = {
  budget: {
    ...dollars('budget'),
    section: 'Limits',
    trust: limit('spends more than your own file allows'),
    forAll: true,
    describe: 'stop starting runs at this cost in dollars',
  },
  'budget-tokens': {
    ...whole('budget-tokens', 1, 1e12),
    trust: limit('spends more than your own file allows'),
    forAll: true,
    describe: 'stop starting runs after this many tokens',
  },
  'cost-per-run': {
    ...dollars('cost-per-run'),
    trust: power('changes what a run counts towards the budget'),
    forAll: true,
    describe: 'assumed cost (USD) of a run that reports none',
  },
  ...pricesFlag,
  deadline: {
    ...text,
    section: 'Limits',
    trust: limit('runs longer than your own file allows'),
    forAll: true,
    describe: 'cancel what still runs at this time: 30m or 18:00',
  },
} satisfies Flags

export const confirmFlags = {
  'ask-above-cost': {
    ...atLeastZero('ask-above-cost'),
    default: 5,
    section: 'Planning',
    trust: limit('spends more before you are asked'),
    forAll: true,
    describe: 'ask before spending more dollars than this',
  },
  'ask-above-minutes': {
    ...atLeastZero('ask-above-minutes'),
    default: 30,
    section: 'Planning',
    trust: limit('runs longer before you are asked'),
    forAll: true,
    describe: 'ask before running for more minutes than this',
  },
  yes: { ...onOff, alias: 'y', section: 'Common', describe: 'answer yes to all questions' },
} satisfies Flags

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

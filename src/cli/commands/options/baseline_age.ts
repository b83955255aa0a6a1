/** --baseline-age: how much older reused runs may be than the runs they are compared with. */
import type { Options } from 'yargs'
import { parseAge } from './amounts.ts'
import { refuseForm } from './refused_value.ts'

export const baselineAgeFlag = {
  'baseline-age': {
    type: 'string',
    requiresArg: true,
    default: '24h',
    coerce: (value: unknown): string => {
      if (typeof value === 'string' && isAge(value)) return value
      throw refuseForm('baseline-age', 'an age such as 12h or 7d', 'use an age such as --baseline-age 24h')
    },
    describe: 'test reused runs older than this for drift',
  },
} satisfies Record<string, Options>

/** Milliseconds of a valid age. */
export function parseBaselineAge(text: string): number {
  return parseAge('baseline-age', text)
}

function isAge(text: string): boolean {
  try {
    return parseBaselineAge(text) >= 0
  } catch {
    return false
  }
}

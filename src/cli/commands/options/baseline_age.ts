/** --baseline-age: how much older reused runs may be than the runs they are compared with. */
import type { Options } from 'yargs'
import { jsonText } from '../../../base/json/json_text.ts'
import { parseAge } from './amounts.ts'
import { refuseValue } from './refused_value.ts'

export const baselineAgeFlag = {
  'baseline-age': {
    type: 'string',
    requiresArg: true,
    default: '24h',
    coerce: (value: unknown): string => {
      if (typeof value === 'string' && isAge(value)) return value
      throw refuseValue(`--baseline-age ${jsonText(value)}: not an age`, 'give one, such as --baseline-age 12h or 7d')
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

/** The flags of `mine`. */
import type { Options } from 'yargs'
import { initFlags } from '../init/options.ts'
import { refuseForm } from '../options/refused_value.ts'
import { wholeNumber } from '../options/run_flow.ts'

const most = 1_000_000

function parseOneSkill(value: unknown): string | undefined {
  if (Array.isArray(value)) throw refuseForm('skill', 'one folder', 'run mine once for each skill')
  return value === undefined ? undefined : String(value)
}

/** A date, or a date and time; of a date alone its beginning in UTC. */
function parseSince(value: unknown): Date | undefined {
  if (value === undefined) return undefined
  const text = String(value)
  const date = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?$/.test(text)
    ? new Date(text)
    : new Date(Number.NaN)
  if (!Number.isNaN(date.getTime()) && (text.length > 10 || date.toISOString().startsWith(text))) return date
  throw refuseForm('since', 'a date such as 2026-01-31', 'use a date such as --since 2026-01-31')
}

export const mineFlags = {
  skill: {
    type: 'string',
    requiresArg: true,
    coerce: parseOneSkill,
    describe: 'folder of the skill that the drafts are for',
  },
  out: {
    type: 'string',
    alias: 'o',
    requiresArg: true,
    defaultDescription: 'mined',
    describe: 'new folder for the drafts',
  },
  'min-count': {
    type: 'number',
    requiresArg: true,
    default: 2,
    coerce: wholeNumber('min-count', 1, most),
    describe: 'sessions with a task from which on it recurs',
  },
  'max-cases': {
    type: 'number',
    requiresArg: true,
    coerce: (value: unknown) => (value === undefined ? undefined : wholeNumber('max-cases', 1, most)(value)),
    defaultDescription: 'all recurring tasks',
    describe: 'most cases to draft, the most frequent tasks first',
  },
  since: { type: 'string', requiresArg: true, coerce: parseSince, describe: 'only sessions from this date on' },
  engine: {
    type: 'string',
    requiresArg: true,
    defaultDescription: 'none: no model is asked',
    describe: 'engine that phrases expectations: name[:model]',
  },
  model: { ...initFlags.model, describe: 'model that phrases expectations' },
  'base-url': initFlags['base-url'],
  'pass-env': initFlags['pass-env'],
  prices: initFlags.prices,
  'max-wait': initFlags['max-wait'],
  'dry-run': { type: 'boolean', default: false, describe: 'print what would be written, write and ask nothing' },
} satisfies Record<string, Options>

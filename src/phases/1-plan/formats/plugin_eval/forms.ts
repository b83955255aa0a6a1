/** Fields of a case in another form than the documented one: each is said, and read as nothing. */
import type { Warn } from '../../warnings.ts'
import { kindOf } from '../evals_json/document.ts'
import { isObject } from '../evals_json/fields.ts'
import type { Fields } from './files.ts'

interface Form {
  wanted: string
  fits(value: unknown): boolean
}

const text: Form = { wanted: 'text', fits: (value) => typeof value === 'string' }
const mapping: Form = { wanted: 'mapping', fits: isObject }
const forms: Readonly<Record<string, Form>> = {
  name: text,
  expected_outcome: text,
  timeout_seconds: { wanted: 'number of seconds above 0', fits: isSeconds },
  execution: mapping,
  context: mapping,
  graders: { wanted: 'list', fits: Array.isArray },
}

/** `null` is absent. */
export function warnForms(fields: Fields, key: string, warn: Warn): void {
  for (const [name, { wanted, fits }] of Object.entries(forms)) {
    const value = fields[name]
    if (value === undefined || value === null || fits(value)) continue
    warn(key, `"${name}" of a case is not read: ${shown(value)} is no ${wanted}`)
  }
}

export function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}

function shown(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'object' ? kindOf(value) : JSON.stringify(value)
}

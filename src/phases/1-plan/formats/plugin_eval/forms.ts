/** Warns about fields of a case that have the wrong type; they are not read. */
import type { Warn } from '../../suite/loader_warnings.ts'
import { describeJsonKind } from '../evals_json/document.ts'
import { isJsonObject } from '../evals_json/fields.ts'
import type { PluginFields } from './files.ts'

interface Form {
  wanted: string
  fits(value: unknown): boolean
}

const text: Form = { wanted: 'text', fits: (value) => typeof value === 'string' }
const mapping: Form = { wanted: 'a mapping', fits: isJsonObject }
const forms: Readonly<Record<string, Form>> = {
  name: text,
  expected_outcome: text,
  timeout_seconds: { wanted: 'a number of seconds above 0', fits: isSeconds },
  execution: mapping,
  context: mapping,
  graders: { wanted: 'a list', fits: Array.isArray },
}

/** `null` counts as absent. */
export function warnForms(fields: PluginFields, key: string, warn: Warn): void {
  for (const [name, { wanted, fits }] of Object.entries(forms)) {
    const value = fields[name]
    if (value === undefined || value === null || fits(value)) continue
    warn(key, `"${name}" of a case is not read: ${formatFormValue(value)} is not ${wanted}`)
  }
}

export function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}

function formatFormValue(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'object' ? describeJsonKind(value) : JSON.stringify(value)
}

/** --print-config: each value that holds and where it comes from. */
import path from 'node:path'
import { withoutLogin } from '../../jobs/queue/address.ts'
import { columns, safe } from '../style.ts'
import type { Configured, Origin } from './configure.ts'

export interface Printed {
  /** What the values are for: a skill or a benchmark folder. */
  of: string
  configured: Configured<unknown>
}

export function printConfig({ of, configured }: Printed, json: boolean): string {
  const { args, file, origins } = configured
  const settings = [...origins].map(([key, origin]) => ({ key, value: shown(key, args[key] ?? null), origin }))
  if (json) return JSON.stringify({ type: 'config', of, file, settings })
  const rows = settings.map(({ key, value, origin }) => [key, valueText(value), originText(origin)])
  const source = file === null ? 'no whetstone.config.yaml found' : place(file)
  return [`${of}: ${source}`, ...columns([['key', 'value', 'origin'], ...rows])].map(safe).join('\n')
}

/** The address of a queue may hold a password. */
function shown(key: string, value: unknown): unknown {
  return key === 'queue' && typeof value === 'string' ? withoutLogin(value) : value
}

/** What a file has set, in a line; null: nothing. */
export function settingsLine({ file, origins }: Configured<unknown>): string | null {
  const keys = [...origins].flatMap(([key, { kind }]) => (kind === 'file' ? [key] : []))
  return file === null || keys.length === 0 ? null : safe(`settings of ${place(file)}: ${keys.join(', ')}`)
}

function valueText(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '–'
  return Array.isArray(value) ? value.join(', ') : String(value)
}

function originText(origin: Origin): string {
  switch (origin.kind) {
    case 'flag':
      return 'flag'
    case 'default':
      return 'default'
    case 'suite':
      return 'the suite, else default'
    case 'file':
      return `${place(origin.file)}:${origin.line}`
  }
}

function place(file: string): string {
  const relative = path.relative(process.cwd(), file)
  return relative.startsWith('../..') ? file : relative
}

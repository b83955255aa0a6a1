/** --print-config: prints each effective value and its origin. */
import path from 'node:path'
import { jsonText } from '../../base/json/json_text.ts'
import { listRemoteFlags } from '../commands/options/remote_flags.ts'
import { alignColumns, toSafeLine } from '../terminal/style.ts'
import type { ConfiguredArguments } from './configure.ts'
import type { Origin } from './value_origins.ts'

export interface PrintConfigRequest {
  /** What the values apply to: a skill or a benchmark folder. */
  of: string
  configured: ConfiguredArguments<unknown>
}

export function printConfig({ of, configured }: PrintConfigRequest, json: boolean): string {
  const { args, file, own, origins } = configured
  const settings = [...origins].map(([key, origin]) => ({ key, value: shownValue(key, args[key] ?? null), origin }))
  if (json) return jsonText({ type: 'config', of, file, own, settings })
  const rows = settings.map(({ key, value, origin }) => [key, valueText(value), originText(origin)])
  const read = file ?? own
  const source = read === null ? 'no whetstone.config.yaml found' : place(read)
  return [`${of}: ${source}`, ...alignColumns([['key', 'value', 'origin'], ...rows])].map(toSafeLine).join('\n')
}

function shownValue(key: string, value: unknown): unknown {
  const { shown } = listRemoteFlags()[key] ?? {}
  return shown !== undefined && typeof value === 'string' ? shown(value) : value
}

export function settingsLines({ file, own, origins }: ConfiguredArguments<unknown>): string[] {
  return [file, own].flatMap((one) => {
    const keys = [...origins].flatMap(([key, origin]) => (origin.kind === 'file' && origin.file === one ? [key] : []))
    return one === null || keys.length === 0 ? [] : [toSafeLine(`settings of ${place(one)}: ${keys.join(', ')}`)]
  })
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
      return `${place(origin.file)}:${origin.line}${origin.unconfirmed ? ' (not confirmed)' : ''}`
  }
}

function place(file: string): string {
  const relative = path.relative(process.cwd(), file)
  return relative.startsWith('../..') ? file : relative
}

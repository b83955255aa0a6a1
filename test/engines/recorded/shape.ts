/** The shape of a recording: which kinds of lines come in which order, and which fields and types they have. Values don't count. */
import type { Step } from './steps.ts'

type Fields = Record<string, string>

/** Of one process: its arguments, and for each stream and file the kinds of its lines in the order of their first, with their fields. */
export function shapeOf(steps: readonly Step[]): object {
  const streams: Record<string, Record<string, Fields>> = {}
  let args: string[] = []
  for (const step of steps) {
    if ('args' in step) args = step.args.map(plain)
    for (const [stream, value] of listValues(step)) {
      streams[stream] ??= {}
      const kinds = streams[stream]
      const kind = kindOf(value)
      kinds[kind] = addFields(kinds[kind] ?? {}, value)
    }
  }
  const order = Object.fromEntries(Object.entries(streams).map(([stream, kinds]) => [stream, Object.keys(kinds)]))
  const exit = steps.flatMap((step) => ('exit' in step ? [step.exit] : []))[0] ?? 'ended from outside'
  return { args, exit, order, streams }
}

/** What stands on stderr is for people, and differs. */
function listValues(step: Step): [string, unknown][] {
  if ('in' in step) return [['in', step.in]]
  if ('out' in step) return [['out', step.out]]
  return 'file' in step ? [[plain(step.file), step.record]] : []
}

/** Without numbers, times and hexadecimal ids: each run of such digits and dashes is one #. */
function plain(text: string): string {
  return text.replaceAll(/(?=[a-f-]*\d)[0-9a-f][0-9a-f-]*|\b[a-f]{6,}\b/g, '#')
}

const kindNames = ['type', 'subtype', 'method', 'sessionUpdate', 'event.name', 'role']

function kindOf(value: unknown): string {
  if (typeof value === 'string') return / message=("[^"]*"|\S+)/.exec(value)?.[1] ?? 'text'
  if (value === null || typeof value !== 'object') return typeof value
  const own = kindNames.flatMap((name) => (name in value ? [String(value[name as keyof typeof value])] : []))
  const inner = Object.values(value).flatMap((one) => {
    const kind = one !== null && typeof one === 'object' && !Array.isArray(one) ? kindOf(one) : 'object'
    return kind === 'object' ? [] : [kind]
  })
  return [...own, ...inner].join(' ') || ('result' in value ? 'result' : 'error' in value ? 'error' : 'object')
}

function addFields(fields: Fields, value: unknown, place = ''): Fields {
  if (Array.isArray(value)) {
    for (const one of value) addFields(fields, one, `${place}[]`)
    return fields
  }
  if (value === null || typeof value !== 'object') {
    const types = new Set([...(fields[place]?.split('|') ?? []), value === null ? 'null' : typeof value])
    fields[place] = [...types].sort().join('|')
    return fields
  }
  for (const [name, one] of Object.entries(value)) addFields(fields, one, `${place}.${plain(name)}`)
  return fields
}

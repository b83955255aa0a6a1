/** What a recording of an agent CLI is made of, and how it is cleaned of what differs from run to run. */
import path from 'node:path'
import type { SideFile } from './side_files.ts'

/** One thing that went in or out, in its order: a line of a stream, a record of a file that it wrote, its exit. */
export type Step =
  | { args: string[] }
  | { in: unknown }
  | { out: unknown }
  | { err: unknown }
  | { file: string; record: unknown; replaces?: true }
  | { exit: number }

/** A step as the recorder notes it. */
export type RawStep =
  | Extract<Step, { args: string[] } | { exit: number }>
  | { in: string }
  | { out: string }
  | { err: string }
  | { file: string; text: string; replaces?: true }

export type StepFile = { side: SideFile; name: string }

/** The steps of one process, with JSON in place of text. `find`: what is known of a file, by its path. */
export function readSteps(raw: readonly RawStep[], find: (file: string) => StepFile): Step[] {
  const steps: Step[] = []
  const open = new Map<string, string>()
  const out = raw.flatMap((step) => ('out' in step ? [step.out] : []))
  const whole = out.length > 1 ? tryJson(out.join('\n')) : undefined
  for (const step of raw) {
    if ('in' in step) steps.push({ in: toJson(step.in) })
    else if ('out' in step) steps.push({ out: toJson(step.out) })
    else if ('err' in step) steps.push({ err: step.err })
    else if ('file' in step) steps.push(...readSide(step, find(step.file), open))
    else steps.push(step)
  }
  const first = steps.findIndex((step) => 'out' in step)
  return whole === undefined ? steps : steps.filter((step) => !('out' in step)).toSpliced(first, 0, { out: whole })
}

function* readSide(
  { file, text, replaces }: Extract<RawStep, { file: string }>,
  { side, name }: StepFile,
  open: Map<string, string>,
): Generator<Step> {
  const all = replaces ? text : (open.get(file) ?? '') + text
  const end = side.records === 'objects' ? /^[\s\S]*\n}\n/ : /^[\s\S]*\n/
  const done = side.records === 'file' ? all : (end.exec(all)?.[0] ?? '')
  open.set(file, side.records === 'file' && toJson(all) === all ? all : all.slice(done.length))
  if (side.records === 'file' && done.startsWith('{') && toJson(done) === done) return // not written to its end
  const records =
    side.records === 'objects' ? done.split(/(?<=\n}\n)/) : side.records === 'file' ? [done] : done.split('\n')
  for (const [index, record] of records.entries()) {
    if (record === '' && side.records !== 'file') continue
    if (side.keep?.test(record) === false) continue
    yield {
      file: name,
      record: withoutFields(toJson(record), side.drop ?? []),
      ...(replaces && index === 0 && { replaces }),
    }
  }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What the text stands for; itself, if it is not a JSON object or list. */
function toJson(text: string): unknown {
  return /^\s*[{[]/.test(text) ? (tryJson(text) ?? text) : text
}

function mapJson(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => mapJson(one, change))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [change(name), mapJson(one, change)]))
}

function withoutFields(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutFields(one, names))
  if (value === null || typeof value !== 'object') return value
  const kept = Object.entries(value).filter(([name]) => !names.includes(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutFields(one, names)]))
}

/** Cuts a long text. Of what lists the skills that are offered, the names stay. */
function shorten(text: string): string {
  const [list, name = ''] = /<(available_skills|skills_instructions)>[\s\S]*?<\/\1>/.exec(text) ?? []
  if (list !== undefined) {
    // the text may be JSON in JSON, where a line break is two letters
    const tags = [...list.matchAll(/<name>(?:\s|\\n)*([^<]*?)(?:\s|\\n)*<\/name>/g)]
    const names = tags.map(([, one]) => `<skill><name>${one}</name></skill>`)
    const lines = list.match(/^- [^\s:]+: |\(file: .*\)$/gm) ?? []
    return `<${name}>\n${[...names, ...lines].join('\n').replaceAll(': \n(', ': (')}\n</${name}>`
  }
  const limit = text.startsWith('timestamp=') ? 1500 : 300
  return text.length > limit ? `${text.slice(0, limit - 100)}…` : text
}

/** Replaces in text what is different in each run. One scene has one of these, so that what was equal stays equal. */
export type Cleaner = (text: string) => string

const start = Date.parse('2026-01-01T00:00:00.000Z')

/** `places`: the text to be replaced, and what stands for it, in the order in which they are tried. */
export function createCleaner(places: readonly (readonly [string, string])[]): Cleaner {
  const numbers = new Map<string, number>()
  const number = (text: string) => {
    if (!numbers.has(text)) numbers.set(text, numbers.size + 1)
    return String(numbers.get(text))
  }
  let first: number | null = null
  const shift = (at: number) => {
    first ??= at
    return start + at - first
  }
  return (text) => {
    let clean = text
    for (const [from, to] of places) clean = clean.replaceAll(from, to)
    return clean
      .replace(/(?<![0-9a-f-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, (id) => {
        return `00000000-0000-4000-8000-${number(id).padStart(12, '0')}`
      })
      .replace(/\b(ses|msg|prt|call|toolu|resp|rs|fc)_[A-Za-z0-9]{12,}/g, (id, kind) => {
        return `${kind}_${number(id).padStart(12, '0')}`
      })
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) =>
        new Date(shift(Date.parse(time))).toISOString(),
      )
      .replace(/\b\d{4}-\d\d-\d\dT\d\d-\d\d(-\d\d(?=-))?/g, '2026-01-01T00-00')
      .replace(/\bsessions\/\d{4}\/\d\d\/\d\d\b/g, 'sessions/2026/01/01')
      .replace(/(127\.0\.0\.1|localhost):\d+/g, '$1:1')
      .replace(/(?:whetstone-)?placeholder-?[0-9a-f]{20,}/gi, 'placeholder')
  }
}

/** A step in which all text is cleaned, and long text is cut. */
export function cleanStep(step: Step, clean: Cleaner): Step {
  return mapJson(step, (text) => shorten(clean(text))) as Step
}

/** Without the lines that say what the last one of their kind has said: some CLIs repeat themselves every second. */
export function dropRepeats(steps: readonly Step[]): Step[] {
  const last = new Map<unknown, string>()
  return steps.filter((step) => {
    if (!('out' in step) || step.out === null || typeof step.out !== 'object' || !('ephemeral' in step.out)) return true
    const { id: _, parentId: __, timestamp: ___, ...said } = step.out as Record<string, unknown>
    const text = JSON.stringify(said)
    const isNew = last.get(said.type) !== text
    last.set(said.type, text)
    return isNew
  })
}

/** A step with real places for what stands for them, as the player takes it. */
export function fillStep(step: Step, places: Readonly<Record<string, string>>): object {
  const fill = (text: string) => text.replaceAll(/\{\{([\w-]+)\}\}/g, (whole, name: string) => places[name] ?? whole)
  const filled = mapJson(step, fill) as Step
  if (!('file' in filled)) return filled
  const { file, record, replaces } = filled
  return { file, text: printRecord(file, record), ...(replaces && { replaces }) }
}

function printRecord(file: string, record: unknown): string {
  if (typeof record === 'string') return path.basename(file) === 'started' ? record : `${record}\n`
  return `${JSON.stringify(record, null, path.basename(file) === 'log' ? 2 : 0)}\n`
}

/** The shape of recordings: which kinds of lines a CLI gives on which stream, and which fields of which types they have. Values don't count. */
import type { Step } from './steps.ts'

/** By process: its arguments, without ids, and how it ended. */
export function startsAndEnds(processes: readonly Step[][]): { args: string[]; exit: number | null }[] {
  return processes.map((steps) => ({
    args: steps.flatMap((step) => ('args' in step ? step.args.map(plain) : [])),
    exit: steps.flatMap((step) => ('exit' in step ? [step.exit] : []))[0] ?? null,
  }))
}

/**
 * What scenes show, each fact with the number of scenes that show it: a stream or file, a kind of its lines, a field, a type. How much of a
 * scene is there depends on when its process was ended, so all scenes are compared together.
 */
export function listFacts(scenes: Iterable<readonly Step[][]>): Map<string, number> {
  const facts = new Map<string, number>()
  for (const processes of scenes) {
    const own = new Set(processes.flat().flatMap(listValues).flatMap(listFields))
    for (const fact of own) facts.set(fact, (facts.get(fact) ?? 0) + 1)
  }
  return facts
}

/** What stands on stderr is for people, and differs. A text in a file is a part of a line. */
function listValues(step: Step): [string, unknown][] {
  if ('in' in step) return [['in', step.in]]
  if ('out' in step) return [['out', step.out]]
  return 'file' in step && typeof step.record !== 'string' ? [[plain(step.file), step.record]] : []
}

function listFields([stream, value]: [string, unknown]): string[] {
  const fields = (one: unknown, place: string): string[] => {
    if (Array.isArray(one)) return one.flatMap((each) => fields(each, `${place}[]`))
    if (one === null || typeof one !== 'object') return [`${place}: ${one === null ? 'null' : typeof one}`]
    return Object.entries(one).flatMap(([name, inner]) => fields(inner, `${place}.${plain(name)}`))
  }
  const start = `${stream} › ${kindOf(value)}`
  return [start, ...fields(value, `${start} `)]
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

/** The tool calls of a run that a check means. */
import { z } from 'zod'
import type { CheckOf } from '../../../../schemas/check.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import { bounded } from '../../../base/bounded.ts'
import { capped } from './evidence.ts'
import type { CheckScene } from './scene.ts'

type ToolCall = Extract<TranscriptEvent, { type: 'tool_call' }>

export interface Calls {
  /** How the call is shown: `transcript.jsonl:12: Bash {"command":"ls"}`. */
  meant: string[]
  /** Names of all tools that were called, each once. */
  tools: string[]
}

const indices = z.array(z.number())

/** A call counts whatever came of it. `error`: a pattern can't be tried. */
export async function callsMeant(
  check: Pick<CheckOf<'tool_used'>, 'name' | 'input' | 'input_json'>,
  scene: CheckScene,
): Promise<Calls | { error: string }> {
  const events = await scene.events()
  const all = events.flatMap((event, index) => (event.type === 'tool_call' ? [{ call: event, line: index + 1 }] : []))
  const isNamed = nameMatcher(check.name)
  let meant = all.filter(({ call }) => isNamed(call.name))
  const tools = [...new Set(all.map(({ call }) => call.name))]
  for (const { pattern, textsOf } of patternsOf(check)) {
    const groups = meant.map(({ call }) => textsOf(call.input))
    const kept = await matching(pattern, groups, scene)
    if ('error' in kept) return kept
    meant = kept.flatMap((index) => meant[index] ?? [])
  }
  return { tools, meant: meant.map(({ call, line }) => `transcript.jsonl:${line}: ${call.name} ${inputOf(call)}`) }
}

/** What the input has to match, and the texts that each is tried on. */
function patternsOf({ input, input_json }: Pick<CheckOf<'tool_used'>, 'input' | 'input_json'>) {
  const asJson = (value: unknown) => [JSON.stringify(value)]
  return [
    ...(input === undefined ? [] : [{ pattern: input, textsOf: textsIn }]),
    ...(input_json === undefined ? [] : [{ pattern: input_json, textsOf: asJson }]),
  ]
}

async function matching(pattern: string, groups: string[][], scene: CheckScene) {
  const end = await bounded({ kind: 'matching', pattern, flags: '', groups }, indices, scene.signal)
  return 'error' in end
    ? { error: `the pattern /${capped(pattern, 120)}/ could not be tried: ${end.error}` }
    : end.value
}

/** In any case, since engines write the same tool in their own way; * stands for any characters. No regular expression: many stars would backtrack. */
function nameMatcher(wanted: string): (name: string) => boolean {
  const [first = '', ...rest] = wanted.toLowerCase().split('*')
  const last = rest.pop()
  return (given) => {
    const name = given.toLowerCase()
    if (last === undefined) return name === first
    if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
    let at = first.length
    for (const part of rest) {
      const found = name.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return at <= name.length - last.length
  }
}

/** Every text and number in it, wherever it stands; of a list of words also the whole line. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)]
  if (value === null || typeof value !== 'object') return []
  const inner = Object.values(value).flatMap(textsIn)
  return Array.isArray(value) ? [...inner, inner.join(' ')] : inner
}

function inputOf({ input }: ToolCall): string {
  return capped(JSON.stringify(input), 160)
}

/** What the graders of `claude plugin eval` are here: checks, expectations, or named as what they can't be. */
import type { z } from 'zod'
import type { Check } from '../../../../../schemas/check.ts'
import { fileGrader, llmGrader, regexGrader, toolGrader } from '../../../../../schemas/plugin_eval_case.ts'
import type { Expectation } from '../../../../../schemas/suite.ts'
import { patternMistake, plainMistakes } from '../check_mistakes.ts'
import { absence } from '../patterns.ts'

export type GraderReading =
  | { kind: 'check'; check: Check }
  | { kind: 'expectation'; expectation: Expectation }
  | { kind: 'unsupported'; why: string }

/** A grader as its file has it: the frontmatter, and the body as `body`. */
export type GraderSource = Readonly<Record<string, unknown>>

type Reader = (grader: GraderSource) => GraderReading

const readers = new Map<string, Reader>([
  ['regex', readRegex],
  ['file_exists', readFileExists],
  ['llm', readLlm],
  ['tool_used', readToolUsed],
  ['tool_order', () => unsupported('the order of tool calls is not graded here')],
  ['baseline', () => unsupported('a comparison with a stored transcript is not made here')],
])

/** What a grader may be, also where it is not read here. */
export const graderTypes: ReadonlySet<string> = new Set(readers.keys())

/** Reads one grader; `name` is shown with a check whose file has no words of its own. */
export function readGrader(grader: GraderSource, name: string): GraderReading {
  const type = typeof grader.type === 'string' ? grader.type : ''
  const reader = readers.get(type)
  if (reader === undefined) return unsupported(`known are ${[...graderTypes].join(', ')}`)
  const reading = reader(grader)
  const [mistake] = reading.kind === 'check' ? plainMistakes(reading.check) : []
  if (mistake !== undefined) return unsupported(mistake.message)
  return labelled(reading, { name, indicator: grader.arm === 'with-only' })
}

function labelled(reading: GraderReading, { name, indicator }: { name: string; indicator: boolean }): GraderReading {
  const marks = indicator ? { indicator: true } : {}
  switch (reading.kind) {
    case 'unsupported':
      return reading
    case 'check':
      return { kind: 'check', check: { ...reading.check, text: reading.check.text ?? name, ...marks } }
    case 'expectation':
      return { kind: 'expectation', expectation: { ...reading.expectation, ...marks } }
  }
}

function readRegex(grader: GraderSource): GraderReading {
  const read = regexGrader.safeParse({ ...grader, pattern: grader.pattern ?? grader.body })
  if (!read.success) return unsupported(mistakesOf(read.error))
  const { pattern, target, match, flags } = read.data
  const odd = flags.replaceAll(/[gimsu]/g, '')
  if (odd !== '') return unsupported(`flags ${odd} are not known here`)
  if (target === 'trace') return unsupported('their trace has another form than the transcript here')
  const mistake = patternMistake(pattern, flags.replaceAll('g', ''))
  if (mistake !== null) return unsupported(mistake)
  const found = match === 'contains' ? pattern : match === 'not_contains' ? absence(pattern) : null
  if (found === null) return unsupported(`match ${match} is not counted here`)
  const kept = [...new Set(flags.replaceAll('g', ''))].join('')
  const where = target === 'last_message' ? {} : { path: target.path }
  const text = match === 'contains' ? `matches /${pattern}/` : `has no match of /${pattern}/`
  const place = target === 'last_message' ? 'The final answer' : target.path
  return {
    kind: 'check',
    check: { type: 'regex', pattern: found, ...(kept && { flags: kept }), ...where, text: `${place} ${text}` },
  }
}

function readFileExists(grader: GraderSource): GraderReading {
  const read = fileGrader.safeParse(grader)
  if (!read.success) return unsupported(mistakesOf(read.error))
  const { exists, path } = read.data
  return { kind: 'check', check: exists ? { type: 'file_exists', path } : { type: 'file_absent', path } }
}

const toolKeys = new Set(['type', 'name', 'description', 'body', 'arm', 'weight', 'tool', 'input_match', 'min', 'max'])

/**
 * A tool of Claude Code's by its own name, called at least once unless `min` says otherwise, also beside `max`;
 * `input_match` is tried on the JSON of the input. That the Skill tool was called says only that there was a skill.
 */
function readToolUsed(grader: GraderSource): GraderReading {
  const odd = Object.keys(grader).filter((key) => grader[key] !== undefined && !toolKeys.has(key))
  if (odd.length > 0) return unsupported(`its ${odd.join(', ')} is not known here`)
  if (typeof grader.tool !== 'string' || grader.tool === '') return unsupported('it names no tool')
  if (grader.tool.includes('*')) return unsupported('its tool has a *, which `claude plugin eval` takes for a letter')
  const read = toolGrader.safeParse(grader)
  if (!read.success) return unsupported(mistakesOf(read.error))
  const { min, max } = read.data
  const least = min ?? 1
  if (typeof max === 'number' && max < least) return unsupported(neverMet(min, max))
  const pattern = read.data.input_match || undefined
  const mistake = pattern === undefined ? null : patternMistake(pattern)
  if (mistake !== null) return unsupported(mistake)
  const call = { name: grader.tool, ...(pattern !== undefined && { input_json: pattern }) }
  const marks = grader.tool === 'Skill' && grader.arm !== 'both' ? { indicator: true } : {}
  if (max === 0) return { kind: 'check', check: { type: 'tool_not_used', ...call, ...marks } }
  const times = typeof max === 'number' ? { min: least, max } : least === 1 ? undefined : { min: least }
  return { kind: 'check', check: { type: 'tool_used', ...call, ...(times && { times }), ...marks } }
}

function neverMet(min: number | null | undefined, max: number): string {
  return typeof min === 'number'
    ? `no run meets it: its min ${min} is above its max ${max}`
    : `no run meets it: without min it asks for one call, and max is ${max}; add min: 0`
}

function readLlm(grader: GraderSource): GraderReading {
  const read = llmGrader.safeParse({ ...grader, criteria: grader.criteria ?? grader.body })
  const text = read.success ? read.data.criteria.trim() : ''
  return text === '' ? unsupported('it has no criteria') : { kind: 'expectation', expectation: { text } }
}

/** Such as: its target must be last_message or { source: file, path: … }. */
function mistakesOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `its ${path.join('.')} ${message}`).join(', ')
}

function unsupported(why: string): GraderReading {
  return { kind: 'unsupported', why }
}

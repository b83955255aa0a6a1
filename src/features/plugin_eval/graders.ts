/** Converts the graders of `claude plugin eval` to checks or expectations, or says why that is not possible. */
import type * as z from 'zod'
import type { Check } from '../../../schemas/check.ts'
import { fileGrader, llmGrader, regexGrader, toolGrader, toolOrderGrader } from '../../../schemas/plugin_eval_case.ts'
import type { Expectation } from '../../../schemas/suite.ts'
import { findMisspelling } from '../../base/text/did_you_mean.ts'
import { findPlainMistakes, patternMistake } from '../../phases/1-plan/formats/check_mistakes.ts'
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'

/** `mistake`: it is invalid in the format, so its verdict would be lost. */
type GraderReading = { check: Check } | { expectation: Expectation } | { unsupported: string } | { mistake: string }

/** A grader as written: the frontmatter, and the body as `body`. */
export type GraderSource = Readonly<Record<string, unknown>>

type Reader = (grader: GraderSource) => GraderReading

const readers = new Map<string, Reader>([
  ['regex', readRegex],
  ['file_exists', readFileExists],
  ['llm', readLlm],
  ['tool_used', readToolUsed],
  ['tool_order', readToolOrder],
  ['baseline', () => ({ unsupported: 'a comparison with a stored transcript is not supported' })],
])

/** Every type of the format, even those that are not read here. */
export const graderTypes: ReadonlySet<string> = new Set(readers.keys())

/** Reads one grader; `name` labels a check whose file has no text of its own. */
export function readGrader(grader: GraderSource, name: string): GraderReading {
  const type = typeof grader.type === 'string' ? grader.type : ''
  const reader = readers.get(type)
  const known = `known are ${[...graderTypes].join(', ')}`
  if (reader === undefined) {
    const meant = findMisspelling(type, [...graderTypes])
    return { mistake: meant === null ? known : `did you mean "${meant}"?` }
  }
  const misspelt = misspeltField(grader, type)
  if (misspelt !== null) return { mistake: misspelt }
  const reading = reader(grader)
  const { arm = null } = grader
  if (arm !== null && !arms.has(arm)) return { mistake: `its arm ${JSON.stringify(arm)} is not both or with-only` }
  const weight = grader.weight ?? 1
  if (weight === 0) return { unsupported: 'its weight is 0, so it counts nothing' }
  if (typeof weight !== 'number' || !(weight > 0 && weight < Infinity))
    return { mistake: `its weight ${JSON.stringify(weight)} is not a number above 0` }
  const marks = { ...(grader.arm === 'with-only' && { indicator: true }), ...(weight !== 1 && { weight }) }
  if ('expectation' in reading) return { expectation: { ...reading.expectation, ...marks } }
  if (!('check' in reading)) return reading
  const [wrong] = findPlainMistakes(reading.check)
  if (wrong !== undefined) return { mistake: wrong.message }
  return { check: { ...reading.check, text: reading.check.text ?? name, ...marks } }
}

/** Where a grader counts: in both configurations, or as an indicator. */
const arms: ReadonlySet<unknown> = new Set(['both', 'with-only'])

function readRegex(grader: GraderSource): GraderReading {
  const read = regexGrader.safeParse({ ...grader, pattern: grader.pattern ?? grader.body })
  if (!read.success) return { mistake: formatZodIssues(read.error) }
  const { pattern, target, match, flags } = read.data
  const odd = flags.replaceAll(/[gimsu]/g, '')
  if (odd !== '') return { unsupported: `flags ${odd} are not known here` }
  if (target === 'trace') return { unsupported: 'their trace has another form than the transcript here' }
  const wrong = patternMistake(pattern, flags.replaceAll('g', ''))
  if (wrong !== null) return { mistake: wrong }
  const absent = match === 'not_contains'
  if (match.startsWith('count:')) return { unsupported: `match ${match} is not counted here` }
  if (match !== 'contains' && !absent) return { mistake: `its match "${match}" is neither contains nor not_contains` }
  const kept = [...new Set(flags.replaceAll('g', ''))].join('')
  const where = target === 'last_message' ? {} : { path: target.path }
  const text = match === 'contains' ? `matches /${pattern}/` : `has no match of /${pattern}/`
  const place = target === 'last_message' ? 'The final answer' : target.path
  return {
    check: {
      type: 'regex',
      pattern,
      ...(kept && { flags: kept }),
      ...(absent && { absent }),
      ...where,
      text: `${place} ${text}`,
    },
  }
}

function readFileExists(grader: GraderSource): GraderReading {
  const read = fileGrader.safeParse(grader)
  if (!read.success) return { mistake: formatZodIssues(read.error) }
  const { exists, path } = read.data
  return { check: exists ? { type: 'file_exists', path } : { type: 'file_absent', path } }
}

/**
 * A tool by Claude Code's name, called at least once unless `min` says otherwise, even with `max`; `input_match` is
 * matched against the JSON of the input. A call of the Skill tool only shows that there was a skill.
 */
function readToolUsed(grader: GraderSource): GraderReading {
  const odd = listUnreadFields(grader).filter((key) => grader[key] !== undefined)
  if (odd.length > 0) return { unsupported: `its ${odd.join(', ')} is not known here` }
  if (typeof grader.tool !== 'string' || grader.tool === '') return { mistake: 'it names no tool' }
  if (grader.tool.includes('*')) return { unsupported: starIsLetter }
  const read = toolGrader.safeParse(grader)
  if (!read.success) return { mistake: formatZodIssues(read.error) }
  const { min, max } = read.data
  const least = min ?? 1
  if (typeof max === 'number' && max < least) return { unsupported: neverMet(min, max) }
  const pattern = read.data.input_match || undefined
  const wrong = pattern === undefined ? null : patternMistake(pattern)
  if (wrong !== null) return { mistake: wrong }
  const call = { name: grader.tool, ...(pattern !== undefined && { input_json: pattern }) }
  const marks = grader.tool === 'Skill' && grader.arm !== 'both' ? { indicator: true } : {}
  if (max === 0) return { check: { type: 'tool_not_used', ...call, ...marks } }
  const times = typeof max === 'number' ? { min: least, max } : least === 1 ? undefined : { min: least }
  return { check: { type: 'tool_used', ...call, ...(times && { times }), ...marks } }
}

/** The first call of one tool comes before the first call of another, and both are called. */
function readToolOrder(grader: GraderSource): GraderReading {
  const odd = listUnreadFields(grader)
  const { arm, before, after } = grader
  if (odd.length > 0) return { unsupported: `its ${odd.join(', ')} is not known here` }
  const read = toolOrderGrader.safeParse({ before, after })
  if (!read.success) return { mistake: formatZodIssues(read.error) }
  const calls = [read.data.before, read.data.after].map((call) => (typeof call === 'string' ? { tool: call } : call))
  if (calls.some(({ tool }) => tool.includes('*'))) return { unsupported: starIsLetter }
  const wrong = calls.map(({ input_match }) => (input_match ? patternMistake(input_match) : null)).find(Boolean)
  if (wrong) return { mistake: wrong }
  const tools = calls.map(({ tool, input_match }) => (input_match ? { name: tool, input_json: input_match } : tool))
  const marks = calls.some(({ tool }) => tool === 'Skill') && arm !== 'both' ? { indicator: true } : {}
  return { check: { type: 'tool_order', mode: 'first_in_order', tools, ...marks } }
}

const starIsLetter = 'its tool has a *, which `claude plugin eval` takes for a letter'

function neverMet(min: number | null | undefined, max: number): string {
  return typeof min === 'number'
    ? `no run meets it: its min ${min} is above its max ${max}`
    : `no run meets it: without min it asks for one call, and max is ${max}; add min: 0`
}

function readLlm(grader: GraderSource): GraderReading {
  const read = llmGrader.safeParse({ ...grader, criteria: grader.criteria ?? grader.body })
  const text = read.success ? read.data.criteria.trim() : ''
  return text === '' ? { mistake: 'it has no criteria' } : { expectation: { text } }
}

/** For example: its target must be last_message or { source: file, path: … }. */
function formatZodIssues({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `its ${path.join('.')} ${message}`).join(', ')
}

const sharedGraderKeys = ['type', 'name', 'description', 'arm', 'weight']
const fields: Readonly<Record<string, readonly string[]>> = {
  regex: ['pattern', 'target', 'match', 'flags'],
  file_exists: ['path', 'exists'],
  llm: ['criteria'],
  tool_used: ['tool', 'input_match', 'min', 'max'],
  tool_order: ['before', 'after'],
}

/** Fields that its type does not have, and of its target; those of an unknown type are not looked at. */
export function listUnreadFields(grader: GraderSource): string[] {
  const own = typeof grader.type === 'string' && Object.hasOwn(fields, grader.type) ? fields[grader.type] : undefined
  // the body stands for these two, so that beside one of them it is not read
  const body = grader.body !== undefined && (grader.pattern ?? grader.criteria) != null ? [] : ['body']
  const known = [...sharedGraderKeys, ...body, ...(own ?? Object.keys(grader))]
  const target = Object.keys(Object(grader.target)).filter((name) => !['source', 'path'].includes(name))
  const ofTarget = isJsonObject(grader.target) ? target.map((name) => `target.${name}`) : []
  return [...Object.keys(grader).filter((name) => !known.includes(name)), ...ofTarget]
}

/** A sentence about the first misspelt field of its type; null: there is none. */
function misspeltField(grader: GraderSource, type: string): string | null {
  const known = [...sharedGraderKeys, ...(fields[type] ?? [])]
  for (const name of listUnreadFields(grader)) {
    const meant = findMisspelling(name, known)
    if (meant !== null) return `"${name}" is not a known field (did you mean "${meant}"?)`
  }
  return null
}

/** Reads rubric.md and judge.md of an Atomic Agent. */
import type { GoldenJudge, GoldenRubric } from '../../../schemas/golden.ts'
import { dimensionKey } from '../../../schemas/rubric.ts'
import { UserError } from '../../base/errors/error.ts'
import { formatJsonPath } from '../../base/json/json.ts'
import { findMisspelling } from '../../base/text/did_you_mean.ts'
import { yamlFix } from '../../base/text/yaml.ts'
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'
import {
  type MarkdownFront,
  markdownLines,
  normalizeLineEnds,
  readFront,
} from '../../phases/1-plan/formats/markdown/lines.ts'
import { fillJudgePrompt } from './judge_prompt.ts'

const rubricFields = new Set(['schema_version', 'agent', 'weights', 'threshold_pass'])
const judgeFields = new Set(['schema_version', 'agent', 'recommended_judge', 'strict_mode', 'audit_sample_pct'])
const judgeLists = new Set(['cross_family', 'same_family_fallback'])

export interface ConfigPlace {
  file: string
  /** Name of the agent's folder. */
  agent: string
}

/** Throws UserError with file and line. */
export function readRubric(source: string, { file, agent }: ConfigPlace, remark: Remark): GoldenRubric {
  const front = requireFront(source, file)
  const wrong = (at: readonly string[], message: string) => mistake(file, front, at, message)
  assertNoSlips(file, front, fieldSlips(front, { known: rubricFields }, remark))
  const { weights: given } = front.fields
  if (!isJsonObject(given) || Object.keys(given).length === 0)
    throw wrong(['weights'], 'weights must name each dimension with its share, such as persona_fidelity: 50')
  const weights: Record<string, number> = {}
  for (const [name, value] of Object.entries(given)) {
    const weight = parseNumericField(value)
    if (weight === null || weight < 0) throw wrong(['weights', name], `weights.${name} must be a number of 0 or more`)
    weights[name] = weight
  }
  assertNoSlips(file, front, weightSlip(Object.keys(weights), front.body))
  const sum = Object.values(weights).reduce((total, one) => total + one, 0)
  if (sum === 0) throw wrong(['weights'], 'all weights are 0')
  if (Math.abs(sum - 100) > 0.01)
    remark(front.at(['weights']).line, `the weights sum to ${round(sum)}, not 100; they count in proportion`)
  const threshold = front.fields.threshold_pass === undefined ? 4 : parseNumericField(front.fields.threshold_pass)
  if (threshold === null) throw wrong(['threshold_pass'], 'threshold_pass must be a number')
  if (threshold > 5)
    remark(
      front.at(['threshold_pass']).line,
      `threshold_pass ${threshold} is above the scale of 1 to 5: no test can pass`,
    )
  remarkSharedFields(front, agent, remark)
  return { weights, threshold_pass: threshold, body: front.body.trim() }
}

/** Throws UserError with file and line. */
export function readJudge(source: string, { file, agent }: ConfigPlace, remark: Remark): GoldenJudge {
  const front = requireFront(source, file)
  const wrong = (at: readonly string[], message: string) => mistake(file, front, at, message)
  const ofLists = { path: ['recommended_judge'], known: judgeLists }
  const slips = [{ known: judgeFields }, ofLists].flatMap((object) => fieldSlips(front, object, remark))
  assertNoSlips(file, front, slips)
  const { recommended_judge: recommended, strict_mode: strict, audit_sample_pct: audit } = front.fields
  const lists = isJsonObject(recommended) ? recommended : {}
  if (recommended !== undefined && recommended !== null && !isJsonObject(recommended))
    throw wrong(['recommended_judge'], 'recommended_judge must have cross_family and same_family_fallback')
  if (strict !== undefined && typeof strict !== 'boolean')
    throw wrong(['strict_mode'], 'strict_mode must be true or false')
  const audited = audit === undefined ? 0.1 : parseNumericField(audit)
  if (audited === null || audited < 0 || audited > 100)
    throw wrong(['audit_sample_pct'], 'audit_sample_pct must be a share from 0 to 1, or a percentage up to 100')
  if (audited === 1)
    remark(
      front.at(['audit_sample_pct']).line,
      'audit_sample_pct 1 is read as all verdicts; for one percent, write 0.01',
    )
  const template = front.body.trim()
  if (template === '') throw wrong([], 'the prompt for the judge is missing below the frontmatter')
  remarkTemplate(template, front.bodyLine + (/^\s*/.exec(front.body)?.[0].split('\n').length ?? 1) - 1, remark)
  remarkSharedFields(front, agent, remark)
  const readModels = (name: string): string[] => {
    const all = [lists[name] ?? []].flat()
    if (all.every((one): one is string => typeof one === 'string' && one.trim() !== ''))
      return all.map((one) => one.trim())
    throw wrong(['recommended_judge', name], `${name} must be a list of models`)
  }
  return {
    cross_family: readModels('cross_family'),
    same_family_fallback: readModels('same_family_fallback'),
    strict_mode: strict ?? true,
    audit_sample_pct: audited > 1 ? audited / 100 : audited,
    template,
  }
}

/** Remarks on a template that `str.format` can't fill, and one that does not show the judge what it judges. */
function remarkTemplate(template: string, firstLine: number, remark: Remark): void {
  const blank = { ...{ rubric: '', test_input: '', expected_behavior: '' }, ...{ pass_criteria: '', trajectory: '' } }
  const filled = fillJudgePrompt(template, { ...blank, agent_response: '' })
  if ('wrongAt' in filled) {
    const { wrongAt: at } = filled
    const shown = JSON.stringify(template.slice(at, at + 20))
    const line = firstLine + template.slice(0, at).split('\n').length - 1
    remark(line, `${shown} is not a placeholder, so braces are kept as they are; write {{ and }} for those of JSON`)
  } else if (!/\{agent_response[!:}]/.test(template))
    remark(firstLine, "the judge is not shown the agent's response: there is no {agent_response}")
}

function requireFront(source: string, file: string): MarkdownFront {
  const front = readFront(normalizeLineEnds(source))
  if ('fields' in front) return front
  throw new UserError(
    `${file}:${front.at.line}:${front.at.column}: ${front.message}`,
    yamlFix(front.message.replace(/^.*not valid YAML: /, '')),
  )
}

function mistake(
  file: string,
  front: MarkdownFront,
  at: readonly PropertyKey[],
  message: string,
  fix?: string,
): UserError {
  const { line, column } = front.at(at)
  return new UserError(`${file}:${line}:${column}: ${message}`, fix)
}

/** Throws UserError for the first slip. */
function assertNoSlips(file: string, front: MarkdownFront, [first]: readonly FieldSlip[]): void {
  if (first !== undefined) throw mistake(file, front, first.path, first.message, 'fix the name, or remove the field')
}

/** Checks fields that rubric, judge and tests share: the schema version and the agent. */
export function remarkSharedFields({ fields, texts, at }: MarkdownFront, agent: string, remark: Remark): void {
  const { schema_version: version, agent: named } = fields
  if (version !== undefined && Number(version) !== 1)
    remark(at(['schema_version']).line, `schema_version ${String(texts.schema_version)} is not known; it is read as 1`)
  if (named !== undefined && named !== null && texts.agent !== agent)
    remark(at(['agent']).line, `it is for the agent ${String(texts.agent)}, but in the folder of ${agent}`)
}

/** A number, also one written as text. */
function parseNumericField(value: unknown): number | null {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  const isText = typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value.trim())
  return isText ? Number(value) : null
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** Scored from the checked facts if the judge gives no score. */
const factDimension = 'factual_accuracy'

/** First weight whose name is near an unweighted heading, such as `## Output quality (60%)`; the judge's score would not count. */
function weightSlip(weights: readonly string[], body: string): FieldSlip[] {
  const keys = weights.map(dimensionKey)
  const headings = markdownLines(body, 1).lines.flatMap(({ text, fenced }) => {
    const heading = fenced ? null : /^#{2,6}[ \t]+([^(:–—]*)/.exec(text)?.[1]
    return heading ? dimensionKey(heading.replaceAll(/[*`]/g, '')) : []
  })
  const unweighted = [...headings, factDimension].filter((key) => !keys.includes(key))
  for (const name of weights) {
    if (headings.includes(dimensionKey(name))) continue
    const meant = findMisspelling(dimensionKey(name), unweighted)
    if (meant !== null) return [{ path: ['weights', name], message: misspellingText(`the dimension "${name}"`, meant) }]
  }
  return []
}

/** Reports a bullet such as `output_qualty: ≥ 4` whose name is near a dimension; null: near none. */
export function bulletSlip(bullet: string, dimensions: readonly string[]): string | null {
  const [name = ''] = /^[\p{L}\p{N} _-]+/u.exec(bullet) ?? []
  const key = dimensionKey(name.replace(/\s*(?:at least)?\s*$/i, ''))
  const meant = findMisspelling(key, dimensions.map(dimensionKey))
  return meant === null ? null : misspellingText(`the dimension of the bullet "${bullet}"`, meant)
}

export interface FieldSlip {
  /** Path in the frontmatter. */
  path: readonly PropertyKey[]
  message: string
}

/** Returns misspelt fields of a frontmatter object and remarks on other unknown ones. `path`: the object's. */
export function fieldSlips(
  front: MarkdownFront,
  { path = [], known }: { path?: readonly PropertyKey[]; known: ReadonlySet<string> },
  remark: Remark,
): FieldSlip[] {
  const object = path.reduce<unknown>((inner, key) => Object(inner)[key], front.fields)
  return Object.keys(isJsonObject(object) ? object : {}).flatMap((name) => {
    if (known.has(name)) return []
    const own = [...path, name]
    const shown = formatJsonPath(own).slice(2)
    const meant = findMisspelling(name, [...known])
    if (meant !== null) return [{ path: own, message: misspellingText(`the field "${shown}"`, meant) }]
    remark(front.at(own).line, `the field ${shown} is not known and not read`)
    return []
  })
}

/** `check` recognises a slip by these words. */
export function misspellingText(what: string, meant: string): string {
  return `${what} is not known (did you mean "${meant}"?)`
}

export type Remark = (line: number, message: string) => void

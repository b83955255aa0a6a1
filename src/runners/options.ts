/** Checks the options of evalSuite like the flags of `whetstone eval`, so that mistakes are reported before a test runs. */
import { UserError } from '../base/errors/error.ts'
import { didYouMean } from '../base/text/did_you_mean.ts'
import type { EvalRequest } from '../flows/eval/eval_request.ts'
import { noLimits } from '../flows/limits/limits.ts'

type Options = Omit<EvalRequest, 'path' | 'writes' | 'changed' | 'shard'>

/** As the flags of `whetstone eval`. */
export type EvalSuiteOptions = Partial<Options>

const defaults: Options = {
  ...{ format: null, cases: [], target: null, category: null, test: null },
  ...{
    engine: null,
    model: null,
    baseUrl: null,
    skillsFolder: null,
    judge: null,
    timeoutSeconds: null,
    maxTurns: null,
  },
  ...{ concurrency: 1, retries: 2, workspace: null, passEnv: [] },
  ...{ keep: false, cache: true, fresh: true, isolate: false },
}

/** An allowed kind of value: its description, and a check. */
type OptionKind = readonly [words: string, fits: (value: unknown) => boolean]

const week = 604_800
const isText = (value: unknown) => typeof value === 'string' && value.trim() !== ''
const places: ReadonlySet<unknown> = new Set(['auto', 'plain', 'docker', 'podman'])
const text: OptionKind = ['text', isText]
const texts: OptionKind = ['a list of texts', (value) => Array.isArray(value) && value.every(isText)]
const flag: OptionKind = ['true or false', (value) => typeof value === 'boolean']
const links: OptionKind = ['"copy" or "refuse"', (value) => value === 'copy' || value === 'refuse']
const group: OptionKind = ['an object', (value) => typeof value === 'object' && !Array.isArray(value)]
const place: OptionKind = ['auto, plain, docker or podman', (value) => isText(value) && places.has(value)]
const seconds: OptionKind = [
  `a number of seconds above 0 and up to ${week} (a week)`,
  (value) => typeof value === 'number' && value > 0 && value <= week,
]
const whole = (least: number, most: number): OptionKind => [
  `a whole number from ${least} to ${most}`,
  (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
]

const activation: OptionKind = [
  'natural, instructed or loaded',
  (value) => value === 'natural' || value === 'instructed' || value === 'loaded',
]

const optionKinds = {
  ...{ format: text, target: text, category: text, test: text, cases: texts },
  ...{ engine: text, model: text, baseUrl: text, effort: text, skillsFolder: text },
  ...{ judge: text, user: text, workspace: text, passEnv: texts },
  ...{ judging: group, limits: group, sandbox: group, pace: group, remote: group },
  backend: place,
  activation,
  ...{ keep: flag, cache: flag, transcripts: flag, fresh: flag, isolate: flag, liveMcp: flag, links },
  ...{ timeoutSeconds: seconds, maxTurns: whole(1, 10_000), concurrency: whole(1, 1000), retries: whole(0, 100) },
} satisfies Record<keyof Options, OptionKind>
const knownOptions = new Map<string, OptionKind>(Object.entries(optionKinds))
const usualValues = new Map<string, unknown>(Object.entries(defaults))

/** Flags whose option has another name. */
const flagNames: Readonly<Record<string, string>> = { timeout: 'timeoutSeconds', case: 'cases' }

/** Throws UserError with all mistakes together. */
export function toEvalRequest(place: unknown, options: EvalSuiteOptions): EvalRequest {
  const mistakes = isText(place) ? [] : ['the first argument must be a path of suites']
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options)
  if (!isObject) mistakes.push('the options must be an object')
  const given = Object.entries(isObject ? options : {}).filter(([, value]) => value !== undefined)
  mistakes.push(...given.flatMap(([name, value]) => findOptionMistakes(name, value)))
  if (mistakes.length > 0)
    throw new UserError(
      `evalSuite: ${mistakes.join('; ')}`,
      "such as evalSuite('skills', { timeoutSeconds: 60 }); docs/how-to/vitest.md",
    )
  const { limits, ...asked } = options
  return { ...defaults, ...asked, ...(limits && { limits: { ...noLimits, ...limits } }), path: String(place) }
}

function findOptionMistakes(name: string, value: unknown): string[] {
  const wanted = knownOptions.get(name)
  if (wanted === undefined) {
    const other = flagNames[name]
    const hint = other === undefined ? didYouMean(name, [...knownOptions.keys()]) : `did you mean "${other}"?`
    return [`unknown option "${name}"${hint === null ? '' : ` (${hint})`}`]
  }
  const [words, fits] = wanted
  const isUnset = value === null && (usualValues.get(name) ?? null) === null
  return isUnset || fits(value) ? [] : [`${name} must be ${words}, not ${JSON.stringify(value) ?? typeof value}`]
}

/** The options of evalSuite, checked as the flags of `whetstone eval` are: a slip is told before a test runs. */
import { UserError } from '../base/error.ts'
import { nearest } from '../base/nearest.ts'
import type { EvalRequest } from '../flows/eval/request.ts'
import { noLimits } from '../flows/limits.ts'

type Options = Omit<EvalRequest, 'path' | 'writes'>

/** As the flags of `whetstone eval`. */
export type EvalSuiteOptions = Partial<Options>

const defaults: Options = {
  ...{ format: null, cases: [], target: null, category: null, test: null },
  ...{ engine: null, model: null, baseUrl: null, judge: null, timeoutSeconds: null, maxTurns: null },
  ...{ concurrency: 1, retries: 2, workspace: null, passEnv: [] },
  ...{ keep: false, cache: true, fresh: true, isolate: false },
}

/** What a value must be: the words for it, and whether one is it. */
type Wanted = readonly [words: string, fits: (value: unknown) => boolean]

const week = 604_800
const isText = (value: unknown) => typeof value === 'string' && value.trim() !== ''
const text: Wanted = ['text', isText]
const texts: Wanted = ['a list of texts', (value) => Array.isArray(value) && value.every(isText)]
const flag: Wanted = ['true or false', (value) => typeof value === 'boolean']
const group: Wanted = ['an object', (value) => typeof value === 'object' && !Array.isArray(value)]
const seconds: Wanted = [
  `a number of seconds above 0 and up to ${week} (a week)`,
  (value) => typeof value === 'number' && value > 0 && value <= week,
]
const whole = (least: number, most: number): Wanted => [
  `a whole number from ${least} to ${most}`,
  (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
]

const wantedOf = {
  ...{ format: text, target: text, category: text, test: text, cases: texts },
  ...{ engine: text, model: text, baseUrl: text, judge: text, workspace: text, passEnv: texts },
  ...{ judging: group, limits: group, sandbox: group, pace: group, queue: group },
  ...{ keep: flag, cache: flag, fresh: flag, isolate: flag },
  ...{ timeoutSeconds: seconds, maxTurns: whole(1, 10_000), concurrency: whole(1, 1000), retries: whole(0, 100) },
} satisfies Record<keyof Options, Wanted>
const known = new Map<string, Wanted>(Object.entries(wantedOf))
const usual = new Map<string, unknown>(Object.entries(defaults))

/** Names of flags whose option is called otherwise. */
const flagNames: Readonly<Record<string, string>> = { timeout: 'timeoutSeconds', case: 'cases' }

/** Throws UserError with every mistake at once. */
export function requestOf(place: unknown, options: EvalSuiteOptions): EvalRequest {
  const mistakes = isText(place) ? [] : ['the first argument must be a path of suites']
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options)
  if (!isObject) mistakes.push('the options must be an object')
  const given = Object.entries(isObject ? options : {}).filter(([, value]) => value !== undefined)
  mistakes.push(...given.flatMap(([name, value]) => mistakeIn(name, value)))
  if (mistakes.length > 0)
    throw new UserError(
      `evalSuite: ${mistakes.join('; ')}`,
      "such as evalSuite('skills', { timeoutSeconds: 60 }); docs/vitest.md",
    )
  const { limits, ...asked } = options
  return { ...defaults, ...asked, ...(limits && { limits: { ...noLimits, ...limits } }), path: String(place) }
}

function mistakeIn(name: string, value: unknown): string[] {
  const wanted = known.get(name)
  if (wanted === undefined) {
    const near = Object.hasOwn(flagNames, name) ? [flagNames[name]] : nearest(name, [...known.keys()])
    return [`there is no option ${name}${near.length > 0 ? `: did you mean ${near.join(' or ')}?` : ''}`]
  }
  const [words, fits] = wanted
  const isUnset = value === null && (usual.get(name) ?? null) === null
  return isUnset || fits(value) ? [] : [`${name} must be ${words}, not ${JSON.stringify(value) ?? typeof value}`]
}

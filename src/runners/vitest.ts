/** Suites of any format as Vitest tests: `import { evalSuite } from 'whetstone/vitest'`. */
import path from 'node:path'
import { describe, type TestContext, test } from 'vitest'
import type { EvalCaseResult } from '../../schemas/eval_result.ts'
import type { Suite, SuiteCase } from '../../schemas/suite.ts'
import { errorMessage, UserError } from '../base/errors/error.ts'
import { didYouMean } from '../base/text/did_you_mean.ts'
import { makeVisible } from '../base/text/show_control_characters.ts'
import { findMissingRequirement } from '../engines/models/first_available.ts'
import { judgeName } from '../engines/models/judge_choice.ts'
import { addFeatures } from '../features/table.ts'
import { runEvalSuite } from '../flows/eval/eval.ts'
import type { EvalRequest } from '../flows/eval/eval_request.ts'
import { type CaseCollection, collectCase, createCaseCollection } from '../flows/eval/gather_cases.ts'
import { prepareEval } from '../flows/eval/prepare_eval.ts'
import type { FlowContext } from '../flows/flow_context.ts'
import { noLimits, SharedBudgets } from '../flows/limits/limits.ts'
import { throwRefusal } from '../flows/prepare/preflight.ts'
import { findSuites } from '../phases/1-plan/suite/find_suites.ts'
import { selectEvals } from '../phases/1-plan/suite/select_eval_cases.ts'
import { findSigner } from '../store/signing/signer.ts'

addFeatures()

/** Seconds that a test may take beyond its agent: for setup and the judge. */
const extraSeconds = 330

/** Seconds. Default when neither the options nor the suite set it. */
const agentTimeout = 300

/**
 * Defines a test for each case of the suites at `place` (relative to the folder where Vitest started). It passes when the case
 * passes, fails with the judge's reason and the place to look at, and is skipped when engine or judge is not available. A suite
 * that can't be read is a failing test. Warnings of a pass are annotations; `task.meta.whetstone` has them, the cost and `cached`.
 */
export function evalSuite(place: string, options: EvalSuiteOptions = {}): void {
  describe(String(place || 'evalSuite'), async () => {
    let request: EvalRequest
    try {
      request = toEvalRequest(place, options)
    } catch (error) {
      return defineFailure('evalSuite can be read', error)
    }
    const listed = await listEvals(request).catch((error: unknown) => error)
    if (!Array.isArray(listed)) defineFailure(`${place} has suites`, listed)
    else for (const one of listed) define(one, request)
  })
}

/** Vitest shows only the message, so it includes the fix; and the stack of a cause, which says nothing about a mistake in a file. */
function defineFailure(name: string, error: unknown): void {
  const isMistake = error instanceof UserError
  const fix = isMistake && error.fix !== null ? `\n${error.fix}` : ''
  test(name, () => {
    throw new Error(`${errorMessage(error)}${fix}`, isMistake ? {} : { cause: error })
  })
}

/** Maximum of a timer, in milliseconds. */
const longest = 2 ** 31 - 1

function define(listed: ListedSuite, request: EvalRequest): void {
  const name = path.relative(process.cwd(), listed.place) || listed.place
  if ('error' in listed) {
    defineFailure(`${name} can be read`, listed.error)
    return
  }
  const { suite } = listed
  const gathering = createCaseCollection()
  describe(name, () => {
    for (const one of suite.cases) {
      const seconds = request.timeoutSeconds ?? one.timeout_seconds ?? suite.defaults?.timeout_seconds ?? agentTimeout
      const timeout = Math.min((seconds * (request.retries + 1) + extraSeconds) * 1000, longest)
      test(one.eval_name, { timeout }, (context) => perform({ suite, one, gathering }, request, context))
    }
  })
}

interface ListedCase {
  suite: Suite
  one: SuiteCase
  gathering: CaseCollection
}

/** Reasons of this machine and this engine, not of the suite. */
const unrunnablePattern = /not runnable here|does not support/

async function perform(of: ListedCase, request: EvalRequest, test: TestContext): Promise<void> {
  const { cannot_run: reason } = of.one
  if (reason !== null && unrunnablePattern.test(reason)) test.skip(reason)
  if (reason !== null) throw new Error(reason)
  const end = await evaluateCase(of, request, flowContext(test))
  if ('skip' in end) return test.skip(end.skip)
  const { result, folder } = end
  const { warnings, cost_usd, cached = false } = result
  Object.assign(test.task.meta, { whetstone: { warnings, cost_usd, cached } })
  for (const warning of warnings) await test.annotate(warning, 'warning')
  if (result.verdict === 'pass') return
  const said = [result.judge?.result === 'fail' ? result.judge.reason : null, result.reason]
  const why = said.find((text) => text !== null) ?? result.verdict
  const look = path.join(folder, result.run ?? '', result.run === null ? 'eval.json' : 'transcript.md')
  if (result.quarantine !== undefined) test.skip(`quarantined: ${makeVisible(why)} (${look})`)
  throw new Error(
    `${result.verdict === 'skip' ? 'could not be judged: ' : ''}${makeVisible(why)}\n\nwhat the agent did: ${look}`,
  )
}

function flowContext({ signal }: TestContext): FlowContext {
  return { emit: () => {}, env: process.env, drain: signal, signal, now: () => new Date() }
}

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

/** A suite that was found; `error`: why it can't be read. */
export type ListedSuite = { place: string; format: string } & ({ suite: Suite } | { error: unknown })

/** Throws UserError where no suite is found, or a selection matches no case. */
export async function listEvals(request: EvalRequest): Promise<ListedSuite[]> {
  const all: ListedSuite[] = []
  for (const found of await findSuites(request.path, request.format)) {
    const { place, format } = found
    try {
      all.push({ place, format, suite: await found.load() })
    } catch (error) {
      all.push({ place, format, error })
    }
  }
  const read = all.flatMap((one) => ('suite' in one ? [one] : []))
  const chosen = new Map(selectEvals(read, request).map((one) => [one.place, one]))
  return all.flatMap((one) => ('suite' in one ? (chosen.get(one.place) ?? []) : one))
}

const unavailableCodes: ReadonlySet<string | null> = new Set(['no-engine', 'no-judge'])

export interface CaseEvaluation {
  result: EvalCaseResult
  /** The folder of the result and the run, absolute. */
  folder: string
}

/** Runs one case and adds it to `gathering`. `{ skip }`: no engine or judge is available. Throws UserError or IncompleteError. */
export async function evaluateCase(
  { suite, one, gathering }: { suite: Suite; one: SuiteCase; gathering: CaseCollection },
  request: EvalRequest,
  context: FlowContext,
): Promise<CaseEvaluation | { skip: string }> {
  const only = { ...suite, cases: [one] }
  const prepared = await prepareEval(only, request, { context, refuse: throwRefusal, isDryRun: false }).catch(
    (error: unknown) => {
      if (error instanceof UserError && unavailableCodes.has(error.code)) return { skip: error.message }
      throw error
    },
  )
  if ('skip' in prepared) return prepared
  const { engine, judge } = prepared.plan.options
  for (const choice of judge === null ? [engine] : [engine, judge]) {
    const missing = await findMissingRequirement(choice, context.env)
    if (missing !== null) return { skip: `${judgeName(choice)} can't be asked: ${missing}` }
  }
  const budgets = new SharedBudgets(request.limits ?? noLimits)
  const ended = await runEvalSuite(prepared, { request: { ...request, fresh: true }, budgets }, context)
  const [result] = ended.cases
  if (result === undefined) throw new Error(`${suite.path}: the case ${one.eval_name} has no result`)
  return { result, folder: await collectCase(gathering, ended, findSigner(context.env)) }
}

/** Suites of any format as Vitest tests: `import { evalSuite } from 'whetstone/vitest'`. */
import path from 'node:path'
import { describe, type TestContext, test } from 'vitest'
import type { Suite, SuiteCase } from '../../schemas/suite.ts'
import { messageOf, UserError } from '../base/error.ts'
import type { FlowContext } from '../flows/context.ts'
import { type Gathering, newGathering } from '../flows/eval/gather.ts'
import { evaluateCase, type ListedSuite, listEvals } from '../flows/eval/one_case.ts'
import type { EvalRequest } from '../flows/eval/request.ts'
import { type EvalSuiteOptions, requestOf } from './options.ts'

export type { EvalSuiteOptions } from './options.ts'

/** Seconds that a test may take beyond its agent: setting up, and the judge. */
const besides = 330

/** Where neither the options nor the suite says. */
const agentTimeout = 300

/**
 * Defines a test for each case of the suites at `place` (relative to the folder that Vitest was started in). It passes when the case
 * passes, fails with the judge's reason and the place to look at, and is skipped where engine or judge can't be asked. A suite that
 * can't be read is a test that fails. Warnings of a pass are annotations; they, the cost and `cached` are in `task.meta.whetstone`.
 */
export function evalSuite(place: string, options: EvalSuiteOptions = {}): void {
  describe(String(place || 'evalSuite'), async () => {
    let request: EvalRequest
    try {
      request = requestOf(place, options)
    } catch (error) {
      return fails('evalSuite can be read', error)
    }
    const listed = await listEvals(request).catch((error: unknown) => error)
    if (!Array.isArray(listed)) fails(`${place} has suites`, listed)
    else for (const one of listed) define(one, request)
  })
}

/** The message alone is shown: what mends it goes with it. */
function fails(name: string, error: unknown): void {
  const fix = error instanceof UserError && error.fix !== null ? `\n${error.fix}` : ''
  test(name, () => {
    throw new Error(`${messageOf(error)}${fix}`, { cause: error })
  })
}

/** What a timer can wait at most, in milliseconds. */
const longest = 2 ** 31 - 1

function define(listed: ListedSuite, request: EvalRequest): void {
  const name = path.relative(process.cwd(), listed.place) || listed.place
  if ('error' in listed) {
    fails(`${name} can be read`, listed.error)
    return
  }
  const { suite } = listed
  const gathering = newGathering()
  describe(name, () => {
    for (const one of suite.cases) {
      const seconds = request.timeoutSeconds ?? one.timeout_seconds ?? suite.defaults?.timeout_seconds ?? agentTimeout
      const timeout = Math.min((seconds * (request.retries + 1) + besides) * 1000, longest)
      test(one.eval_name, { timeout }, (context) => perform({ suite, one, gathering }, request, context))
    }
  })
}

interface OneOf {
  suite: Suite
  one: SuiteCase
  gathering: Gathering
}

/** Reasons of this machine and this engine, not of the suite. */
const notHere = /not runnable here|does not honour/

async function perform(of: OneOf, request: EvalRequest, test: TestContext): Promise<void> {
  const { cannot_run: reason } = of.one
  if (reason !== null && notHere.test(reason)) test.skip(reason)
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
  throw new Error(`${result.verdict === 'skip' ? 'could not be judged: ' : ''}${why}\n\nwhat the agent did: ${look}`)
}

function flowContext({ signal }: TestContext): FlowContext {
  return { emit: () => {}, env: process.env, drain: signal, signal, now: () => new Date() }
}

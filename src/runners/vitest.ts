/** Suites of any format as Vitest tests: `import { evalSuite } from 'whetstone/vitest'`. */
import path from 'node:path'
import { describe, type TestContext, test } from 'vitest'
import type { Suite, SuiteCase } from '../../schemas/suite.ts'
import { errorMessage, UserError } from '../base/errors/error.ts'
import { makeVisible } from '../base/text/show_control_characters.ts'
import { addFeatures } from '../features/table.ts'
import type { EvalRequest } from '../flows/eval/eval_request.ts'
import { type CaseCollection, createCaseCollection } from '../flows/eval/gather_cases.ts'
import { evaluateCase, type ListedSuite, listEvals } from '../flows/eval/one_case.ts'
import type { FlowContext } from '../flows/flow_context.ts'
import { type EvalSuiteOptions, toEvalRequest } from './options.ts'

export type { EvalSuiteOptions } from './options.ts'

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

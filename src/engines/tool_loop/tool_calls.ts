/** Performs the tool calls of one response, in order. */
import { canonicalJson } from '../../base/json/json.ts'
import type { EngineContext, EngineTask } from '../engine.ts'
import type { HookRunner } from '../hooks/hooks.ts'
import type { CallResult, ModelCall } from './session.ts'
import type { LocalTool, ToolAnswer, ToolPlace } from './tools/tool.ts'

/** The tool that the model calls to give a structured answer. */
export const submitTool = 'submit'

export interface ToolContext {
  tools: readonly LocalTool[]
  place: ToolPlace
  /** Of the answer, for which calling `submit` ends the work; null: none is requested. */
  answerSchema: EngineTask['answerSchema']
  /** null: the suite has none. */
  hooks: HookRunner | null
  emit: EngineContext['emit']
}

interface Calls {
  calls: readonly ModelCall[]
  /** The response ended inside the last call, so its input can't be trusted. */
  lastIsCut: boolean
  step: number
}

/**
 * Returns the results, or the submitted answer; calls after `submit` are not performed. Rejects only when aborted or when this machine
 * runs short of a resource.
 */
export async function performCalls(
  { calls, lastIsCut, step }: Calls,
  workshop: ToolContext,
): Promise<{ results: CallResult[] } | { submitted: unknown }> {
  const results: CallResult[] = []
  for (const [index, call] of calls.entries()) {
    const isCut = lastIsCut && index === calls.length - 1
    if (!isCut && workshop.answerSchema !== null && call.name === submitTool) {
      reportCall(workshop, { call, answer: { text: 'the answer is taken', isError: false } }, step)
      return { submitted: readSubmitted(lastIsCut ? calls.slice(0, -1) : calls) }
    }
    const result = { call, answer: isCut ? cutOffAnswer : await performWithHooks(call, step, workshop) }
    reportCall(workshop, result, step)
    results.push(result)
  }
  return { results }
}

/** The input of the calls of `submit`, undefined without one. Inputs that differ are given as a list, which fits no answer's schema. */
export function readSubmitted(calls: readonly ModelCall[]): unknown {
  const [first, ...others] = calls.flatMap(({ name, input }) => (name === submitTool ? [input] : []))
  return others.every((one) => canonicalJson(one) === canonicalJson(first)) ? first : [first, ...others]
}

const cutOffAnswer: ToolAnswer = {
  text: 'not done: the response reached its length limit inside this call; do it in smaller parts',
  isError: true,
}

function performWithHooks(call: ModelCall, step: number, workshop: ToolContext): Promise<ToolAnswer> {
  const { hooks } = workshop
  return hooks === null ? perform(call, workshop) : hooks.around(call, step, (done) => perform(done, workshop))
}

function perform(call: ModelCall, { tools, place }: ToolContext): Promise<ToolAnswer> {
  const tool = tools.find(({ name }) => name === call.name)
  if (tool !== undefined) return tool.run(call.input, place)
  const known = tools.map(({ name }) => name).join(', ')
  return Promise.resolve({ text: `no tool is named ${call.name}; tools: ${known}`, isError: true })
}

function reportCall({ emit }: ToolContext, { call, answer }: CallResult, step: number): void {
  const { id, name } = call
  emit({ type: 'tool_result', step, id, name, output: answer.text, is_error: answer.isError })
}

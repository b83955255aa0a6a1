/** How far a run of the tool loop has come: responses, counts, what was said last. */
import type { Usage } from '../../../schemas/usage.ts'
import type { EngineContext } from '../engine.ts'
import { jsonValue } from '../json_value.ts'
import { addUsage, noUsage, told } from '../usage.ts'
import type { ModelBlock, ModelCall, ModelResponse } from './session.ts'

export interface Work {
  /** Model responses so far. */
  step: number
  /** null: a response did not say what it took. */
  usage: Usage | null
  /** The last text that the model wrote. */
  text: string
  model: string
  answer: { value: unknown } | null
}

export function beginWork(model: string): Work {
  return { step: 0, usage: noUsage, text: '', model, answer: null }
}

/** Takes a response in: counts it and tells of its blocks. Gives its tool calls. */
export function takeResponse(work: Work, response: ModelResponse, emit: EngineContext['emit']): ModelCall[] {
  work.step += 1
  const usage = told(response.usage)
  work.usage = work.usage === null || usage === null ? null : addUsage(work.usage, usage)
  work.model = response.model || work.model
  for (const block of response.blocks) emitBlock(block, work.step, emit)
  const text = response.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  if (text.trim() !== '') work.text = text
  return response.blocks.filter((block) => block.type === 'call')
}

function emitBlock(block: ModelBlock, step: number, emit: EngineContext['emit']): void {
  switch (block.type) {
    case 'text':
      if (block.text !== '') emit({ type: 'assistant', step, text: block.text })
      break
    case 'thinking':
      if (block.text !== '') emit({ type: 'thinking', step, text: block.text })
      break
    case 'call':
      emit({ type: 'tool_call', step, id: block.id, name: block.name, input: jsonValue(block.input) })
      break
  }
}

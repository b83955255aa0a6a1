/** How to ask a Chat Completions server that refuses tools for a structured answer: the strictest way that it accepts. */
import type OpenAI from 'openai'
import { withSchema } from '../answers/json_answer.ts'
import type { EngineError, EngineTask } from '../engine.ts'

type Format = Pick<OpenAI.ChatCompletionCreateParams, 'response_format'>

/** Whether the error is a refusal of tools, and the task can be done without them. */
export function canDropTools(error: EngineError, { answerSchema, tools, toolsOptional }: EngineTask): boolean {
  if (answerSchema === null || (tools !== 'none' && toolsOptional !== true)) return false
  return isRefusal(error, /\b(tools?|tool[_ ]choice|functions?|function[_ ]call\w*)\b/i)
}

/** Whether the error is a refusal of the form of answer that was asked for. */
export function canDropFormat(error: EngineError): boolean {
  return error.kind === 'bad_request' || isRefusal(error, /response[_ ]format|json[_ ](?:schema|object)|grammar/i)
}

/** Some servers, such as llama.cpp's, refuse with a status of their own faults. */
function isRefusal({ kind, message }: EngineError, subject: RegExp): boolean {
  if (!subject.test(message)) return false
  return (
    kind === 'bad_request' || (kind === 'server_error' && /support|requires?\b|must be|not implemented/i.test(message))
  )
}

/** From the strictest to none, which every server accepts. */
export function answerFormats({ answerSchema }: EngineTask): Format[] {
  if (answerSchema === null) return [{}]
  const json_schema = { name: 'answer', schema: answerSchema, strict: false }
  return [{ response_format: { type: 'json_schema', json_schema } }, { response_format: { type: 'json_object' } }, {}]
}

/** The task without tools: its schema is in the prompt. */
export function withoutTools(task: EngineTask): EngineTask {
  const { prompt, answerSchema } = task
  return { ...task, tools: 'none', prompt: answerSchema === null ? prompt : withSchema(prompt, answerSchema) }
}

/** The tools of the SDK engines, and which of them a task may use. */
import type { EngineTask } from '../../engine.ts'
import type { ToolOffer } from '../session.ts'
import { submitTool } from '../tool_calls.ts'
import { bashTool } from './bash.ts'
import { editTool, writeTool } from './edit.ts'
import { globTool, grepTool } from './grep.ts'
import { readFileTool } from './read.ts'
import type { LocalTool } from './tool.ts'

const tools: readonly LocalTool[] = [bashTool, readFileTool, writeTool, editTool, globTool, grepTool]

/** The tools that a task may use; if it may use all, only those named in `only`, if that is given. */
export function selectTools(allowed: EngineTask['tools'], only?: readonly string[]): readonly LocalTool[] {
  switch (allowed) {
    case 'all':
      return only === undefined ? tools : tools.filter(({ name }) => only.includes(name))
    case 'read_only':
      return tools.filter((tool) => tool.readOnly)
    case 'none':
      return []
  }
}

/** The descriptions of the tools for the model, and of the tool for its answer if a structured one is requested. */
export function describeTools(tools: readonly LocalTool[], answerSchema: EngineTask['answerSchema']): ToolOffer[] {
  const offers = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  if (answerSchema === null) return offers
  const description = 'Gives your answer in its final form. Call it once, when you are done; it ends your work.'
  return [...offers, { name: submitTool, description, inputSchema: { ...answerSchema, type: 'object' } }]
}

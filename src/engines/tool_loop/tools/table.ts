/** The tools of the SDK engines, and which of them a task may use. */
import type { EngineTask } from '../../engine.ts'
import type { ToolOffer } from '../session.ts'
import { submitTool } from '../tool_calls.ts'
import { bash } from './bash.ts'
import { edit } from './edit.ts'
import { glob } from './glob.ts'
import { grep } from './grep.ts'
import { read } from './read.ts'
import type { LocalTool } from './tool.ts'
import { write } from './write.ts'

const tools: readonly LocalTool[] = [bash, read, write, edit, glob, grep]

/** The tools that a task may use; of all, those of these names, where some are given. */
export function toolsFor(allowed: EngineTask['tools'], only?: readonly string[]): readonly LocalTool[] {
  switch (allowed) {
    case 'all':
      return only === undefined ? tools : tools.filter(({ name }) => only.includes(name))
    case 'read_only':
      return tools.filter((tool) => tool.readOnly)
    case 'none':
      return []
  }
}

/** What the model is told of them, and of the tool for its answer where one is asked for. */
export function offersOf(tools: readonly LocalTool[], answerSchema: EngineTask['answerSchema']): ToolOffer[] {
  const offers = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  if (answerSchema === null) return offers
  const description = 'Gives your answer in its final form. Call it once, when you are done; it ends your work.'
  return [...offers, { name: submitTool, description, inputSchema: { ...answerSchema, type: 'object' } }]
}

/** The tools of the Anthropic engine, and which of them a task may use. */
import type { EngineTask } from '../../engine.ts'
import { bash } from './bash.ts'
import { edit } from './edit.ts'
import { glob } from './glob.ts'
import { grep } from './grep.ts'
import { read } from './read.ts'
import type { LocalTool } from './tool.ts'
import { write } from './write.ts'

const tools: readonly LocalTool[] = [bash, read, write, edit, glob, grep]

/** The tools that a task may use. */
export function toolsFor(allowed: EngineTask['tools']): readonly LocalTool[] {
  switch (allowed) {
    case 'all':
      return tools
    case 'read_only':
      return tools.filter((tool) => tool.readOnly)
    case 'none':
      return []
  }
}

/** A suite's MCP servers on openai. */
import { surroundings } from './surroundings.ts'

surroundings('openai')

/** A suite's MCP servers and sub-agents on opencode. In files of their own, so that the slow ones run side by side. */
import { surroundings } from './surroundings.ts'

surroundings('opencode')

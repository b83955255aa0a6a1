/** A suite's MCP servers on anthropic. */
import { surroundings } from './surroundings.ts'

surroundings('anthropic')

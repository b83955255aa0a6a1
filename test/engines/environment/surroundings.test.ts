/** What a suite puts around the engines with a loop of their own; `nightly_contracts.ts` has those that drive a CLI. */
import { surroundings } from './surroundings.ts'

surroundings('anthropic')
surroundings('openai')

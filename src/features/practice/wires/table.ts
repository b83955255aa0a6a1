/** The table of wires: which API a request uses. */
import type { PracticeRequest } from '../request.ts'
import { anthropicWire } from './anthropic.ts'
import { chatWire } from './chat.ts'
import { geminiWire } from './gemini.ts'
import { responsesWire } from './responses.ts'
import type { Wire } from './wire.ts'

const wires: readonly Wire[] = [anthropicWire, responsesWire, chatWire, geminiWire]

/** The wire of a request: by its path, or by its authentication for what all APIs share (models, errors). */
export function findWire({ path, dialect }: Pick<PracticeRequest, 'path' | 'dialect'>): Wire {
  const own = wires.find((wire) => path === wire.root || path.startsWith(`${wire.root}/`))
  return own ?? { anthropic: anthropicWire, openai: responsesWire, gemini: geminiWire }[dialect]
}

/** The table of wires: which API a request speaks. */
import type { Asked } from '../asked.ts'
import { anthropicWire } from './anthropic.ts'
import { chatWire } from './chat.ts'
import { responsesWire } from './responses.ts'
import type { Wire } from './wire.ts'

const wires: readonly Wire[] = [anthropicWire, responsesWire, chatWire]

/** The wire of a request: by its path; for what all have (models, mistakes) by how it signs itself. */
export function wireOf({ path, dialect }: Pick<Asked, 'path' | 'dialect'>): Wire {
  const own = wires.find((wire) => path === wire.path || path.startsWith(`${wire.path}/`))
  return own ?? (dialect === 'openai' ? responsesWire : anthropicWire)
}

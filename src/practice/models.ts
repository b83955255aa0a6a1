/** The models of the practice server: which are known, and their list in the shapes of the APIs. */
import { type Reply, refusalReply } from './reply.ts'
import type { Scenario } from './scenario/scenario.ts'

export function isModelKnown({ models: known }: Scenario, model: string): boolean {
  return known === undefined || known.includes(model)
}

/** The reply to a GET of the list or of one model; null: the path is another one. */
export function modelsReply(scenario: Scenario, path: string): Reply | null {
  const found = /^\/(v1|v1beta)\/models(?:\/(.+))?$/.exec(path)
  if (found === null) return null
  const [, version, id] = found
  const describe = version === 'v1beta' ? describeGeminiModel : describeModel
  if (id !== undefined) {
    return isModelKnown(scenario, id) ? { kind: 'json', body: describe(id) } : refusalReply(404, `model: ${id}`)
  }
  const known = scenario.models ?? ['practice-1']
  const list = known.map(describe)
  if (version === 'v1beta') return { kind: 'json', body: { models: list } }
  const ends = { first_id: known[0] ?? null, last_id: known.at(-1) ?? null }
  return { kind: 'json', body: { object: 'list', data: list, has_more: false, ...ends } }
}

/** With the fields of Anthropic and OpenAI: clients ignore unknown ones. */
function describeModel(id: string): object {
  const created = '2026-01-01T00:00:00Z'
  const openai = { object: 'model', created: Date.parse(created) / 1000, owned_by: 'practice' }
  return { type: 'model', id, display_name: id, created_at: created, ...openai }
}

function describeGeminiModel(id: string): object {
  return {
    name: `models/${id}`,
    baseModelId: id,
    version: '1',
    displayName: id,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  }
}

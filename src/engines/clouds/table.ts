/** The table of clouds, which a model's name chooses: `bedrock:MODEL`. */
import { azure } from './azure.ts'
import { bedrock } from './bedrock.ts'
import type { Cloud } from './cloud.ts'
import { foundry } from './foundry.ts'
import { vertex } from './vertex.ts'

const openrouterKey = 'OPENROUTER_API_KEY'

const openrouter: Cloud = {
  title: 'OpenRouter',
  engines: ['openai'],
  variables: [openrouterKey, 'OPENROUTER_BASE_URL'],
  address: 'OPENROUTER_BASE_URL',
  keys: [openrouterKey],
  server: (credentials) => credentials.OPENROUTER_BASE_URL || 'https://openrouter.ai/api/v1',
  findGap: (credentials) =>
    credentials[openrouterKey]
      ? null
      : { message: `${openrouterKey} is not set`, fix: `export ${openrouterKey}=… (from openrouter.ai/settings/keys)` },
  prices: 'openrouter',
  aliases: {},
  packages: [],
}

const clouds = { bedrock, vertex, foundry, openrouter, azure } satisfies Record<string, Cloud>

export type CloudName = keyof typeof clouds

export const cloudNames: readonly string[] = Object.keys(clouds)

export function isCloudName(name: string): name is CloudName {
  return Object.hasOwn(clouds, name)
}

export function findCloud(name: CloudName): Cloud {
  return clouds[name]
}

/** A model's name in two: the cloud before its first colon (null: the provider itself), and the cloud's own name of the model. */
export function splitCloud(model: string | null): { cloud: CloudName | null; model: string | null } {
  const [, name = '', rest = ''] = /^([a-z]+):(.+)$/.exec(model ?? '') ?? []
  return isCloudName(name) ? { cloud: name, model: rest } : { cloud: null, model }
}

/** The cloud that a model's name chooses; null: none. */
export function cloudOfModel(model: string | null | undefined): Cloud | null {
  const { cloud } = splitCloud(model ?? null)
  return cloud === null ? null : clouds[cloud]
}

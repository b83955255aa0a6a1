/** The clouds of the engine openai: Azure OpenAI, with the variables of the OpenAI SDK, and OpenRouter. */
import { askServer, findModelIds, suggestModel } from '../../engines/answers/ask_server.ts'
import type { Cloud, CloudCredentials, CloudGap, CloudQuestion } from '../../engines/clouds/table.ts'
import { toProbeFailure } from '../../engines/openai/probe_server.ts'

const endpoint = 'AZURE_OPENAI_ENDPOINT'
const azureKey = 'AZURE_OPENAI_API_KEY'
const versionVariable = 'OPENAI_API_VERSION'

/** The name of a deployment takes the place of the model's. */
export const azure: Cloud = {
  title: 'Azure OpenAI',
  engines: ['openai'],
  variables: [azureKey, endpoint, versionVariable],
  address: endpoint,
  keys: [azureKey],
  server: azureServer,
  findGap: findAzureGap,
  ask: askAzure,
  prices: 'azure',
  aliases: {},
  versionVariable,
}

function azureServer(credentials: CloudCredentials): string {
  const url = (credentials[endpoint] ?? '').replace(/\/+$/, '').replace(/\/openai(\/v1)?$/, '')
  return credentials[versionVariable] ? `${url}/openai` : `${url}/openai/v1`
}

function findAzureGap(credentials: CloudCredentials): CloudGap | null {
  if (!credentials[endpoint]) {
    const fix = `export ${endpoint}=https://RESOURCE.openai.azure.com`
    return { message: `${endpoint} is not set`, fix }
  }
  if (credentials[azureKey]) return null
  return { message: `${azureKey} is not set`, fix: `export ${azureKey}=… (from the Azure portal)` }
}

/** Its list does not contain deployments. */
async function askAzure({ url, key, names, credentials, signal }: CloudQuestion) {
  const version = credentials[versionVariable]
  const path = version ? `/models?api-version=${encodeURIComponent(version)}` : '/models'
  const listed = await askServer({ base: url, path, headers: { 'api-key': key }, signal })
  return listed.as === 'answer' ? null : toProbeFailure(listed, url, names)
}

const routerKey = 'OPENROUTER_API_KEY'
const routerAddress = 'OPENROUTER_BASE_URL'

export const openrouter: Cloud = {
  title: 'OpenRouter',
  engines: ['openai'],
  variables: [routerKey, routerAddress],
  address: routerAddress,
  keys: [routerKey],
  server: (credentials) => credentials[routerAddress] || 'https://openrouter.ai/api/v1',
  findGap: (credentials) =>
    credentials[routerKey]
      ? null
      : { message: `${routerKey} is not set`, fix: `export ${routerKey}=… (from openrouter.ai/settings/keys)` },
  ask: askOpenrouter,
  prices: 'openrouter',
  aliases: {},
  isChat: true,
}

/** It lists its models to everybody, so the key is asked about first. */
async function askOpenrouter({ url, model, key, names, signal }: CloudQuestion) {
  const headers = { authorization: `Bearer ${key}` }
  const own = await askServer({ base: url, path: '/key', headers, signal })
  if (own.as !== 'answer') return toProbeFailure(own, url, names)
  const listed = await askServer({ base: url, path: '/models', headers, signal })
  const known = listed.as === 'answer' ? findModelIds(listed.body) : null
  // a model may have a suffix, such as :free or :nitro
  if (known === null || known.includes(model) || known.includes(model.replace(/:.*$/, ''))) return null
  const one = await askServer({ base: url, path: `/models/${encodeURIComponent(model)}`, headers, signal })
  if (one.as === 'answer') return null
  const message = `${url} does not know the model "${model}"`
  return { ok: false, kind: 'bad_request', message, fix: suggestModel(model, known) } as const
}

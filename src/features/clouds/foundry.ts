/** Claude on Microsoft Foundry. The variables are those of Claude Code (https://code.claude.com/docs/en/microsoft-foundry). */
import { loadPeer } from '../../base/optional_dependency.ts'
import { countTokensOnServer } from '../../engines/anthropic/address.ts'
import type { ClientSettings, Cloud, CloudCredentials, CloudGap, MessagesClient } from '../../engines/clouds/table.ts'
import { messagesRequests } from '../../engines/models/wire_requests.ts'
import { claudeModelVariables } from './bedrock.ts'

const address = 'ANTHROPIC_FOUNDRY_BASE_URL'
const key = 'ANTHROPIC_FOUNDRY_API_KEY'
const title = 'Microsoft Foundry'
const resource = 'ANTHROPIC_FOUNDRY_RESOURCE'

export const foundry: Cloud = {
  title,
  engines: ['anthropic', 'claude-code'],
  variables: [key, resource, address, ...claudeModelVariables],
  address,
  keys: [key],
  server: (credentials) => credentials[address] || `https://${credentials[resource]}.services.ai.azure.com/anthropic`,
  findGap,
  ask: ({ key: word, ...question }) => countTokensOnServer({ ...question, headers: { 'x-api-key': word } }),
  prices: 'azure',
  aliases: { sonnet: 'claude-sonnet-5-5', opus: 'claude-opus-5-5', haiku: 'claude-haiku-4-5' },
  openClient,
  claude: {
    switch: { CLAUDE_CODE_USE_FOUNDRY: '1' },
    replaceable: [key],
    requests: messagesRequests,
    withheld: (credentials) => (credentials[address] ? [resource] : []),
    alsoReaches: () => [],
    files: () => [],
  },
}

function findGap(credentials: CloudCredentials): CloudGap | null {
  if (!credentials[address] && !credentials[resource]) {
    const fix = `export ${resource}=… (the name of your Foundry resource)`
    return { message: `neither ${resource} nor ${address} is set`, fix }
  }
  if (credentials[key]) return null
  return {
    message: `${key} is not set (no run can read the login of az)`,
    fix: `export ${key}=… (from the Foundry portal)`,
  }
}

async function openClient(credentials: CloudCredentials, settings: ClientSettings): Promise<MessagesClient> {
  const packages = { by: title, names: ['@anthropic-ai/foundry-sdk'] }
  const { AnthropicFoundry } = await loadPeer(() => import('@anthropic-ai/foundry-sdk'), packages)
  // the address already contains the resource's name; an empty one keeps the client from reading it from the environment
  return new AnthropicFoundry({ ...settings, apiKey: (credentials[key] ?? '').trim(), resource: '' })
}

/** Claude on Microsoft Foundry. The variables are those of Claude Code (https://code.claude.com/docs/en/microsoft-foundry). */
import { messagesRequests } from '../models/wire_requests.ts'
import { claudeModelVariables } from './claude_settings.ts'
import type { Cloud, CloudCredentials, CloudGap } from './cloud.ts'

const address = 'ANTHROPIC_FOUNDRY_BASE_URL'
const key = 'ANTHROPIC_FOUNDRY_API_KEY'
const resource = 'ANTHROPIC_FOUNDRY_RESOURCE'

export const foundry: Cloud = {
  title: 'Microsoft Foundry',
  engines: ['anthropic', 'claude-code'],
  variables: [key, resource, address, ...claudeModelVariables],
  address,
  keys: [key],
  server: (credentials) => credentials[address] || `https://${credentials[resource]}.services.ai.azure.com/anthropic`,
  findGap,
  prices: 'azure',
  aliases: { sonnet: 'claude-sonnet-5-5', opus: 'claude-opus-5-5', haiku: 'claude-haiku-4-5' },
  packages: ['@anthropic-ai/foundry-sdk'],
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

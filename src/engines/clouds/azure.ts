/** Azure OpenAI: the name of a deployment takes the place of the model's. The variables are those of the OpenAI SDK. */
import type { Cloud, CloudCredentials, CloudGap } from './cloud.ts'

const address = 'AZURE_OPENAI_ENDPOINT'
const key = 'AZURE_OPENAI_API_KEY'

/** The version of a dated API; absent: the v1 API, which has no version. */
export const azureVersionVariable = 'OPENAI_API_VERSION'

export const azure: Cloud = {
  title: 'Azure OpenAI',
  engines: ['openai'],
  variables: [key, address, azureVersionVariable],
  address,
  keys: [key],
  server,
  findGap,
  prices: 'azure',
  aliases: {},
  packages: [],
}

function server(credentials: CloudCredentials): string {
  const endpoint = (credentials[address] ?? '').replace(/\/+$/, '').replace(/\/openai(\/v1)?$/, '')
  return credentials[azureVersionVariable] ? `${endpoint}/openai` : `${endpoint}/openai/v1`
}

function findGap(credentials: CloudCredentials): CloudGap | null {
  if (!credentials[address]) {
    const fix = `export ${address}=https://RESOURCE.openai.azure.com`
    return { message: `${address} is not set`, fix }
  }
  return credentials[key] ? null : { message: `${key} is not set`, fix: `export ${key}=… (from the Azure portal)` }
}

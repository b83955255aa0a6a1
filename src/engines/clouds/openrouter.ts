/** OpenRouter: many providers' models over Chat Completions (https://openrouter.ai/docs). */
import type { Cloud } from './cloud.ts'

const address = 'OPENROUTER_BASE_URL'
const key = 'OPENROUTER_API_KEY'

export const openrouter: Cloud = {
  title: 'OpenRouter',
  engines: ['openai'],
  variables: [key, address],
  address,
  keys: [key],
  server: (credentials) => credentials[address] || 'https://openrouter.ai/api/v1',
  findGap: (credentials) =>
    credentials[key]
      ? null
      : { message: `${key} is not set`, fix: `export ${key}=… (from openrouter.ai/settings/keys)` },
  prices: 'openrouter',
  aliases: {},
  packages: [],
}

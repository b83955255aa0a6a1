/** Connections to OpenRouter and Azure OpenAI: the official SDK's clients. */
import OpenAI, { AzureOpenAI, type ClientOptions } from 'openai'
import { azureVersionVariable } from '../clouds/azure.ts'
import { type CloudName, findCloud } from '../clouds/table.ts'
import type { OpenaiCredentials } from './address.ts'

/** A client with key and address from `credentials` alone. */
export function openOpenaiCloudClient(
  cloud: CloudName,
  credentials: OpenaiCredentials,
  settings: Omit<ClientOptions, 'apiKey' | 'baseURL' | 'provider'>,
): OpenAI {
  const { keys, server } = findCloud(cloud)
  const apiKey = (keys.map((name) => credentials[name]).find(Boolean) ?? '').trim()
  const baseURL = server(credentials)
  const apiVersion = cloud === 'azure' ? credentials[azureVersionVariable] : undefined
  if (apiVersion !== undefined) return new AzureOpenAI({ ...settings, apiKey, apiVersion, baseURL })
  return new OpenAI({ ...settings, apiKey, baseURL })
}

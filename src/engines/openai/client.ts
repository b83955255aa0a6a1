/** The connection to the OpenAI API: the official SDK, with Whetstone's own retries and nothing from the harness's environment. */
import OpenAI from 'openai'
import { splitCloud } from '../clouds/table.ts'
import { type OpenaiCredentials, openaiBaseUrl } from './address.ts'
import { openOpenaiCloudClient } from './cloud_client.ts'
import { withNamedErrors } from './error_body.ts'

/** Milliseconds; a longer timer would fire at once. */
const longestTimer = 2 ** 31 - 1

/** A client with key and address from `credentials` alone, of the cloud that the model's name chooses. `send` sends its requests. */
export function openOpenaiClient(
  { credentials, model }: { credentials: OpenaiCredentials; model: string | null },
  send: typeof fetch,
): OpenAI {
  const settings = {
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    // the SDK must not time out while a request waits in the rate limiter; `send` itself gives up a silent server
    timeout: longestTimer,
    fetch: withNamedErrors(send),
    logLevel: 'off' as const,
  }
  const { cloud } = splitCloud(model)
  if (cloud !== null) return openOpenaiCloudClient(cloud, credentials, settings)
  const apiKey = (credentials.OPENAI_API_KEY ?? '').trim()
  return new OpenAI({ ...settings, apiKey, baseURL: openaiBaseUrl(credentials) })
}

/** The connection to the OpenAI API: the official SDK, with our own retries and nothing from the harness's environment. */
import OpenAI from 'openai'
import { baseUrlOf, type Credentials } from './address.ts'

/** Milliseconds; a longer timer would ring at once. */
const longestTimer = 2 ** 31 - 1

/** A client that takes key and address from `credentials` alone; `send`: what sends requests. */
export function openClient(credentials: Credentials, send: typeof fetch): OpenAI {
  return new OpenAI({
    apiKey: (credentials.OPENAI_API_KEY ?? '').trim(),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: baseUrlOf(credentials),
    maxRetries: 0,
    // waits at the gate are none of its business, and a silent server is left by ours
    timeout: longestTimer,
    fetch: send,
    logLevel: 'off',
  })
}

/** The requests of the APIs that agents use, below the base URL as each API's programs write it. No agent needs files, batches or accounts. */
import type { AllowedRequest } from '../../base/credential_proxy/allowed_requests.ts'

/** Anthropic's Messages; the base URL has no /v1. */
export const messagesRequests: readonly AllowedRequest[] = [
  'POST /v1/messages',
  'POST /v1/messages/count_tokens',
  'GET /v1/models',
  'GET /v1/models/:model',
]

/** OpenAI's Chat Completions; the base URL has its /v1. */
export const chatRequests: readonly AllowedRequest[] = ['POST /chat/completions', 'GET /models', 'GET /models/:model']

/** OpenAI's Responses; the base URL has its /v1. */
export const responsesRequests: readonly AllowedRequest[] = ['POST /responses', 'GET /models', 'GET /models/:model']

/** Google's Gemini API; the base URL has no version. */
export const geminiRequests: readonly AllowedRequest[] = [
  'POST /v1beta/models/:model:generateContent',
  'POST /v1beta/models/:model:streamGenerateContent',
  'POST /v1beta/models/:model:countTokens',
  'GET /v1beta/models',
  'GET /v1beta/models/:model',
]

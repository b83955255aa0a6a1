/** Copilot over ACP reports a provider's error as the text of an answer; these are its texts. */
import { expect, test } from 'vitest'
import { copilotPreset } from '../../../src/engines/acp/presets/copilot.ts'

const retrying = 'Info: Request failed due to a transient API error. Retrying...'

test.each([
  [
    `${retrying}${retrying}Error: Authentication failed with provider at http://x/v1 (HTTP 401).\n  Check`,
    'credentials',
  ],
  ['Error: Failed to get response from the AI model; retried 5 times Last error: 429 slow', 'rate_limited'],
  [`${retrying}Error: Failed to get response from the AI model; Last error: 500 broken`, 'server_error'],
  ['Error: 400 practice scenario', 'bad_request'],
  ['Info: Compacting history and retrying...Error: The provider rejected the prompt as too long, but', 'bad_request'],
  ['The log says Error: 500', undefined],
  ['all done', undefined],
])('%j: %s', (text, kind) => {
  expect(copilotPreset.readError?.(text)?.kind).toBe(kind)
})

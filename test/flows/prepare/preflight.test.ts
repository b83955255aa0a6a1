/** What can't be asked is told by its role, with the flag that names it. */
import { expect, test } from 'vitest'
import { preflight } from '../../../src/flows/prepare/preflight.ts'
import { practice } from '../../engines/stage.ts'
import { userError } from '../../phases/1-plan/folder.ts'
import { contextAt } from '../eval/evaluate.ts'

test.each([
  ['openai', '--model', 'engine openai: ', 'set --model to one of practice-1'],
  ['openai', '--judge', 'judge openai: ', 'set --judge to one of practice-1'],
  ['anthropic', '--judge', 'judge anthropic: ', 'set --judge to one of practice-1'],
  ['anthropic', '--proposer', 'proposer anthropic: ', 'set --proposer to one of practice-1'],
])('an unknown model of %s for %s', async (name, flag, start, fix) => {
  await using server = await practice('models: [practice-1]\nrules: [{ name: a, answer: { text: a } }]')
  const env = {
    ...{ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${server.url}/v1` },
    ...{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url },
  }
  const good = { name, model: 'practice-1' }
  const asked = { '--model': good, [flag]: { name, model: 'nobody-9' } }
  const error = await userError(preflight(asked, [], contextAt(undefined, env)))
  expect(error.message).toMatch(new RegExp(`^${start}.* does not know the model "nobody-9"$`))
  expect(error.fix).toBe(fix)
})

test.each([
  ['anthropic', true, 'check the network, the proxy settings and --base-url'],
  ['anthropic', false, 'check the network, the proxy settings and ANTHROPIC_BASE_URL'],
  ['openai', true, 'check the network, the proxy settings, --base-url'],
  ['openai', false, 'check the network, the proxy settings, OPENAI_BASE_URL and --base-url'],
])('where nobody is at the server of %s, given by the flag: %s', async (name, isFlag, fix) => {
  const base_url = 'http://127.0.0.1:9'
  const env = {
    ...{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' },
    ...(isFlag ? {} : { OPENAI_BASE_URL: base_url, ANTHROPIC_BASE_URL: base_url }),
  }
  const choice = { name, model: 'm', ...(isFlag && { base_url }) }
  const told = preflight({ '--model': choice }, [], contextAt(undefined, env))
  await expect(told).rejects.toMatchObject({ message: expect.stringContaining("can't reach http://127.0.0.1:9"), fix })
})

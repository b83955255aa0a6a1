/** Which worker may take from a queue, and what makes a queue of its own. */
import { expect, test } from 'vitest'
import { jobVersion } from '../../../schemas/queue_job.ts'
import { canonicalJson, sha256 } from '../../../src/base/json/json.ts'
import {
  canServeQueue,
  queueName,
  resolveQueueNeeds,
  type WorkerOffer,
} from '../../../src/features/queue/job_requirements.ts'

const keys = { ANTHROPIC_API_KEY: 'one', OPENAI_API_KEY: 'two' }
const offer: WorkerOffer = { engines: ['anthropic', 'openai', 'command'], tags: ['eu', 'gpu'], env: keys }
const choice = { name: 'anthropic', model: 'm' } as const
const server = 'https://models.example'
const own = (address: string) => ({ ...keys, ANTHROPIC_BASE_URL: address })

test.each<[string, boolean, Parameters<typeof resolveQueueNeeds>, Partial<WorkerOffer>]>([
  ['what it needs', true, [choice, ['gpu'], keys], {}],
  ['the same key beside another of another provider', true, [choice, [], keys], { env: { ANTHROPIC_API_KEY: 'one' } }],
  ['another engine', false, [choice, [], keys], { engines: ['openai', 'command'] }],
  ['another engine of the same account', false, [choice, [], keys], { engines: ['claude-code'] }],
  ['another key', false, [choice, [], keys], { env: { ...keys, ANTHROPIC_API_KEY: 'other' } }],
  ['no key', false, [choice, [], keys], { env: {} }],
  ['a key where none is asked for', true, [choice, [], {}], {}],
  ['the key, and another server of its own', false, [choice, [], keys], { env: own(server) }],
  ['the key, where the benchmark names the server', true, [{ ...choice, base_url: server }, [], keys], {}],
  ['the same server of its own', true, [choice, [], own(server)], { env: own(server) }],
  ['the same server with a slash', true, [choice, [], own(`${server}/`)], { env: own(server) }],
  ['all tags and more', true, [choice, ['eu'], keys], {}],
  ['some of the tags', false, [choice, ['eu', 'gpu', 'big'], keys], {}],
  ['no tags', false, [choice, ['eu'], keys], { tags: [] }],
  ['an engine without an account, and no key', true, [{ name: 'command', model: null }, [], keys], { env: {} }],
])('a worker with %s: %s', (_name, does, asked, more) => {
  const needs = resolveQueueNeeds(...asked)
  expect(canServeQueue({ ...offer, ...more }, { queue: queueName(needs), needs })).toBe(does)
})

const nameOf = (...asked: Parameters<typeof resolveQueueNeeds>) => queueName(resolveQueueNeeds(...asked))

test.each<[string, boolean, Parameters<typeof resolveQueueNeeds>]>([
  ['another model', true, [{ ...choice, model: 'n' }, ['eu', 'gpu'], keys]],
  ['tags in another order', true, [choice, ['gpu', 'eu', 'gpu'], keys]],
  ["another provider's key", true, [choice, ['eu', 'gpu'], { ...keys, OPENAI_API_KEY: 'other' }]],
  ['another key', false, [choice, ['eu', 'gpu'], { ...keys, ANTHROPIC_API_KEY: 'other' }]],
  ['another engine of the same account', false, [{ ...choice, name: 'claude-code' }, ['eu', 'gpu'], keys]],
  ['another server', false, [{ ...choice, base_url: server }, ['eu', 'gpu'], keys]],
  ['other tags', false, [choice, ['eu'], keys]],
])('%s: the same queue: %s', (_name, isSame, asked) => {
  expect(nameOf(...asked) === nameOf(choice, ['eu', 'gpu'], keys)).toBe(isSame)
})

test('two engines of one key are one account, other keys and servers are others', () => {
  const account = (...asked: Parameters<typeof resolveQueueNeeds>) => resolveQueueNeeds(...asked).account
  const one = account(choice, [], keys)
  expect(account({ name: 'claude-code', model: null }, ['eu'], keys)).toBe(one)
  expect(account({ ...choice, base_url: server }, [], keys)).not.toBe(one)
  expect(account(choice, [], { ANTHROPIC_API_KEY: 'other' })).not.toBe(one)
  expect(one).not.toContain('one') // nothing secret leaves this machine
  expect(account(choice, [], {})).toBeNull()
})

test('jobs of another version are in another queue, from which no worker of ours takes', () => {
  const needs = resolveQueueNeeds({ name: 'command', model: null }, [], {})
  const queueOf = (version: number) => `runs-${sha256(canonicalJson([version, needs])).slice(0, 16)}`
  expect(queueName(needs)).toBe(queueOf(jobVersion))
  expect(canServeQueue({ ...offer, tags: [] }, { queue: queueOf(jobVersion), needs })).toBe(true)
  expect(canServeQueue({ ...offer, tags: [] }, { queue: queueOf(jobVersion + 1), needs })).toBe(false)
})

test('a queue of a cloud is served with its own account', () => {
  const user = { ...keys, AWS_REGION: 'eu-west-1', AWS_BEARER_TOKEN_BEDROCK: 'of-bedrock' }
  const choice = { name: 'anthropic', model: 'bedrock:x' }
  const needs = resolveQueueNeeds(choice, [], user)
  const serves = (env: Record<string, string>) =>
    canServeQueue({ engines: ['anthropic'], tags: [], env }, { queue: queueName(needs), needs })
  expect(needs).toMatchObject({ cloud: 'bedrock', account: expect.any(String) })
  expect(serves(user)).toBe(true)
  expect(serves({ ...user, AWS_BEARER_TOKEN_BEDROCK: 'of-another' })).toBe(false)
  expect(serves({ ...user, ANTHROPIC_API_KEY: 'of-another' })).toBe(true)
  expect(resolveQueueNeeds({ name: 'anthropic', model: 'x' }, [], user)).not.toHaveProperty('cloud')
})

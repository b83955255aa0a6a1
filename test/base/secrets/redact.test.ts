/** Redaction: the forms of keys, the user's own values in every spelling, and what must stay as it is. */
import { describe, expect, test } from 'vitest'
import { getRedactor } from '../../../src/base/secrets/redact.ts'

const own = 'Qx7-own+value/of.the(user)'
const redactor = getRedactor({
  MY_SERVICE_KEY: own,
  SHORT_TOKEN: 'practice-1',
  WORD_TOKEN: 'invoices',
  NAME_KEY: 'Production',
  LOUD_KEY: 'DEVELOPMENT',
  WORD_PASSWORD: 'sunflower',
  WORD_SECRET: 'marigolds',
  MIXED_KEY: 'aBcDeFgHiJ',
  LONG_KEY: 'qwertzuiopasdfghjkl',
  TINY_SECRET: '1234567',
  KEY_FILE_SECRET: '/home/me/key.json',
  QUOTED_PASSWORD: 'with "quotes" and\nlines',
  AWS_SECRET_ACCESS_KEY: '/bPxRfiCYEXAMPLEKEYwJalrXUtnFEMI/K7MDENG',
  MYSQL_PWD: 'Old-town-9-bridges',
  GH_PAT: 'pat-of-the-user-0123',
  OLDPWD: '/home/me/OldPlace',
  SPEECH: 'not a secret at all',
})
const letters = (count: number) => 'aB3dE5gH1jK2mN4pQ6rS8tU0vW'.repeat(4).slice(0, count)
const pem = ['-----BEGIN RSA PRIVATE KEY-----', letters(64), letters(64), '-----END RSA PRIVATE KEY-----']

describe('what has the form of a key', () => {
  test.each([
    ['anthropic-key', `sk-ant-api03-${letters(40)}`],
    ['openai-key', `sk-proj-${letters(40)}`],
    ['openai-key', `sk-${letters(40)}`],
    ['aws-key-id', 'AKIAQ3EGRT5TZ7WXYABC'],
    ['github-token', `ghp_${letters(36)}`],
    ['github-token', `github_pat_${letters(60)}`],
    ['gitlab-token', `glpat-${letters(20)}`],
    ['slack-token', `xoxb-${letters(24)}`],
    ['google-key', `AIza${letters(35)}`],
    ['stripe-key', `sk_live_${letters(24)}`],
    ['npm-token', `npm_${letters(36)}`],
    ['huggingface-token', `hf_${letters(34)}`],
    ['slack-webhook', `hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/${letters(24)}`],
    ['pypi-token', `pypi-AgEIcHlwaS5vcmc${letters(70)}`],
    ['docker-token', `dckr_pat_${letters(27)}`],
    ['groq-key', `gsk_${letters(52)}`],
    ['xai-key', `xai-${letters(80)}`],
    ['replicate-token', `r8_${letters(37)}`],
    ['perplexity-key', `pplx-${letters(48)}`],
    ['databricks-token', `dapi${'0a1b2c3d'.repeat(4)}`],
    ['digitalocean-token', `dop_v1_${'0a1b2c3d'.repeat(8)}`],
    ['sendgrid-key', `SG.${letters(22)}.${letters(43)}`],
    ['linear-key', `lin_api_${letters(40)}`],
    ['private-key', pem.join('\n')],
    ['private-key', pem.slice(0, 2).join('\n')],
    ['private-key', pem.join('\\n')],
    ['web-token', `eyJ${letters(20)}.eyJ${letters(20)}.${letters(20)}`],
  ])('%s %s', (name, key) => {
    expect(redactor.text(`before ${key}`)).toBe(`before [redacted:${name}]`)
    expect(redactor.text(`"${key}"`)).not.toContain(key.slice(-12))
  })
  test.each([
    ['Authorization: Bearer abcdefghijklmnop1234==', 'Authorization: Bearer [redacted:bearer-token]'],
    ['redis://:correct-horse@db.local', 'redis://:[redacted:password]@db.local'],
    ['redis://me:correct-horse@[::2]:1', 'redis://me:[redacted:password]@[::2]:1'],
    ['postgres://me:correct-horse@db.local/x', 'postgres://me:[redacted:password]@db.local/x'],
    [`a sk-ant-${letters(30)} b ghp_${letters(36)} c`, 'a [redacted:anthropic-key] b [redacted:github-token] c'],
  ])('%s', (text, clean) => expect(redactor.text(text)).toBe(clean))
  test.each([
    'the risk-ant-farm is big',
    'sk-ant-short',
    'task-0123456789012345678901234567890123456789',
    'AKIA is a prefix',
    'hooks.slack.com/services/T00000000/B00000000/short',
    'pypi-AgEIcHlwaS5vcmc is how each begins',
    `dapi${'0a1b2c3d'.repeat(4)}0`,
    'SG.a.b, SG.short.too',
    'https://example.com:8080/a@b',
    'a bearer of bad news',
    '-----BEGIN PUBLIC KEY-----',
    'b'.repeat(64),
    '/tmp/user-1234.567-abcdef/work/eval-1-totals/with_skill/run-1',
  ])('stays: %s', (text) => expect(redactor.text(text)).toBe(text))
})

describe("the user's own values", () => {
  const mark = '[redacted:MY_SERVICE_KEY]'
  test.each([
    [`it is ${own}.`, `it is ${mark}.`],
    [`x${own}y`, `x${mark}y`],
    [`it begins ${own.slice(0, 20)}`, `it begins ${mark}`],
    [`${own.slice(8)} is its end`, `${mark} is its end`],
    [`${own.slice(0, 8)} alone is too little`, `${own.slice(0, 8)} alone is too little`],
    ['the key is practice-1', 'the key is [redacted:SHORT_TOKEN]'],
    ['the invoices of Production and DEVELOPMENT', 'the invoices of Production and DEVELOPMENT'],
    ['a sunflower, two marigolds', 'a [redacted:WORD_PASSWORD], two [redacted:WORD_SECRET]'],
    ['aBcDeFgHiJ', '[redacted:MIXED_KEY]'],
    ['qwertzuiopasdfghjkl', '[redacted:LONG_KEY]'],
    ['claude-practice-1 in practices', 'claude-practice-1 in practices'],
    ['1234567 is too short', '1234567 is too short'],
    ['a path: /home/me/key.json', 'a path: /home/me/key.json'],
    ['was in /home/me/OldPlace', 'was in /home/me/OldPlace'],
    ['/bPxRfiCYEXAMPLEKEYwJalrXUtnFEMI/K7MDENG', '[redacted:AWS_SECRET_ACCESS_KEY]'],
    ['-pOld-town-9-bridges', '-p[redacted:MYSQL_PWD]'],
    ['by pat-of-the-user-0123.', 'by [redacted:GH_PAT].'],
    ['not a secret at all', 'not a secret at all'],
    ['{"a":"with \\"quotes\\" and\\nlines"}', '{"a":"[redacted:QUOTED_PASSWORD]"}'],
  ])('%j', (text, clean) => expect(redactor.text(text)).toBe(clean))
  test('a value of two variables has the names of both', () => {
    const both = getRedactor({ OPENAI_API_KEY: own, ANTHROPIC_API_KEY: `${own}\n`, OTHER_KEY: 'another-one' })
    const clean = '[redacted:OPENAI_API_KEY or ANTHROPIC_API_KEY]'
    expect(both.text(`OPENAI_API_KEY=${own}`)).toBe(`OPENAI_API_KEY=${clean}`)
    expect(both.text(`cut ${own.slice(0, 20)}`)).toBe(`cut ${clean}`)
    expect(both.bytes(Buffer.from(own))?.names).toEqual(['OPENAI_API_KEY or ANTHROPIC_API_KEY'])
  })
  describe("the login of the user's own proxy", () => {
    const proxied = getRedactor({
      HTTPS_PROXY: 'http://me:p%40ss-of-9-bridges@proxy:8080',
      http_proxy: 'me:pw@proxy:8080',
      ALL_PROXY: 'http://token-of-the-user-01@proxy:8080',
      NO_PROXY: 'you:too@proxy',
    })
    test.each([
      ['http://me:p%40ss-of-9-bridges@proxy', 'http://me:[redacted:password]@proxy'],
      ['-U me:p@ss-of-9-bridges', '-U [redacted:HTTPS_PROXY]'],
      ['it is p@ss-of-9-bridges', 'it is [redacted:HTTPS_PROXY]'],
      [`Basic ${btoa('me:p@ss-of-9-bridges')}`, 'Basic [redacted:HTTPS_PROXY]'],
      ['http://me:pw@proxy:8080', 'http://[redacted:http_proxy]@proxy:8080'],
      ['me:pw', '[redacted:http_proxy]'],
      ['http://token-of-the-user-01@proxy', 'http://[redacted:ALL_PROXY]@proxy'],
      ['pw of me, you:too@proxy', 'pw of me, you:too@proxy'],
    ])('%s', (text, clean) => expect(proxied.text(text)).toBe(clean))
    test('control: of another user it stays', () => {
      expect(redactor.text('me:p@ss-of-9-bridges me:pw')).toBe('me:p@ss-of-9-bridges me:pw')
    })
  })
  test('in every text of a value, which else stays itself', () => {
    const value = { a: [{ b: `x ${own}` }], c: 1, d: null }
    expect(redactor.value(value)).toEqual({ a: [{ b: `x ${mark}` }], c: 1, d: null })
    const clean = { a: [{ b: 'x' }] }
    expect(redactor.value(clean)).toBe(clean)
  })
  test.each([
    ['text', Buffer.from(`é ${own}\n`), Buffer.from(`é ${mark}\n`)],
    [
      'other bytes',
      Buffer.from(`\0\u00ff${own}\0`, 'latin1'),
      Buffer.from(`\0\u00ff${'*'.repeat(own.length)}\0`, 'latin1'),
    ],
  ])('in a file of %s', (_what, bytes, clean) => {
    expect(redactor.bytes(bytes)).toEqual({ bytes: clean, names: ['MY_SERVICE_KEY'] })
  })
  test.each([`ghp_${letters(36)}`, 'claude-practice-1'])('a file with %s is the product of the agent', (text) => {
    expect(redactor.bytes(Buffer.from(text))).toBeNull()
  })
})

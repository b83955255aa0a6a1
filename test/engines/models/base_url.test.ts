/** --base-url: what it may be, whose it is, and what an engine then gets. */
import { describe, expect, test } from 'vitest'
import { selectCredentials, withBaseUrl } from '../../../src/engines/models/base_url.ts'
import { findEngine } from '../../../src/engines/table.ts'
import { thrown } from '../stage.ts'

const choice = { name: 'openai', model: 'm' }

describe('what it may be', () => {
  test.each(['http://127.0.0.1:11434/v1', 'https://llm.example.org/api/v1/'])('%s', (url) => {
    expect(withBaseUrl(choice, url)).toEqual({ ...choice, base_url: url.replace(/\/$/, '') })
  })
  test('none: the choice as it was', () => expect(withBaseUrl(choice, null)).toBe(choice))
  test.each([
    'localhost:8080',
    'ftp://x/v1',
    'v1',
    '',
    'https://user@host/v1',
    'https://u:hunter2@host/v1',
    'https://:hunter2@host/v1',
    'https://host/v1?key=hunter2',
    'https://host/v1#hunter2',
  ])('%s is refused, and nothing secret is shown', (url) => {
    const error = thrown(() => withBaseUrl(choice, url))
    expect(error.message).toContain('--base-url')
    expect(`${error.message} ${error.fix}`).not.toContain('hunter2')
  })
  test.each(['command', 'auto'])('not for %s; those that have one are named', (name) => {
    const error = thrown(() => withBaseUrl({ name, model: null }, 'http://x/v1'))
    expect(error.fix).toContain('claude-code, anthropic, codex, openai')
  })
})

describe('what an engine gets', () => {
  const user = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://env/v1', ANTHROPIC_API_KEY: 'other', EMPTY: '' }
  test.each([
    ['the address of its choice', { base_url: 'http://flag/v1' }, 'http://flag/v1'],
    ['else that of the environment', {}, 'http://env/v1'],
    ['so where there is no choice', null, 'http://env/v1'],
  ])('%s', (_, chosen, url) => {
    const given = selectCredentials(findEngine('openai'), chosen, user)
    expect(given).toEqual({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: url })
  })
  test('an engine without a server of choice gets its own names alone', () => {
    const given = selectCredentials(findEngine('command'), { base_url: 'http://flag/v1' }, { ...user, HOME: '/x' })
    expect(given).toEqual({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://env/v1', ANTHROPIC_API_KEY: 'other' })
  })
})

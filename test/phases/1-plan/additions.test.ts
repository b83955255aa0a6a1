/** Fields of our own in a case: each is read, and a mistake in one is an error that names file, place and fix. */
import { describe, expect, test } from 'vitest'
import { loadCase, loadEvals, userError } from './folder.ts'

const base = { id: 1, prompt: 'p', expectations: ['e'] }

describe('each is read', () => {
  test.each<[object, object]>([
    [{ checks: [{ type: 'file_exists', path: 'a' }] }, { checks: [{ type: 'file_exists', path: 'a' }] }],
    [
      { reference: { answer: '42', files: { 'a.txt': 'x' } } },
      { reference: { answer: '42', files: { 'a.txt': 'x' } } },
    ],
    [{ timeout: 90 }, { timeout_seconds: 90 }],
    [{ setup: 'npm ci' }, { setup: 'npm ci' }],
    [{ git: true }, { git: true }],
    [{ eval_key: 'k' }, { eval_id: 1, eval_key: 'k' }],
    [{ turns: [] }, { cannot_run: null }],
    [{}, { checks: [], reference: null, timeout_seconds: null, setup: null, git: null, eval_key: null }],
  ])('%j', async (part, read) => {
    const { case: one, warnings } = await loadCase({ ...base, ...part })
    expect(one).toMatchObject(read)
    expect(warnings).toEqual([])
  })
})

describe('a mistake is an error', () => {
  test.each<[object, RegExp]>([
    [{ checks: ['says 42'] }, /\$\.evals\[0\]\.checks\[0\]/],
    [
      { checks: [{ type: 'contain', value: 'x' }] },
      /checks\[0\]\.type: no check is called "contain"; known: contains, /,
    ],
    [{ checks: [{ value: 'x' }] }, /checks\[0\]\.type/],
    [{ checks: [{ type: 'contains' }] }, /checks\[0\]\.value/],
    [{ checks: [{ type: 'contains', value: 'x', tagret: 'answer' }] }, /checks\[0\]: .*tagret/],
    [{ checks: [{ type: 'regex', pattern: '(' }] }, /checks\[0\]\.pattern: Invalid regular expression/],
    [{ checks: [{ type: 'json_path', query: '$.items[' }] }, /checks\[0\]\.query: not a JSONPath query/],
    [{ checks: [{ type: 'file_exists', path: '../report.md' }] }, /checks\[0\]\.path: .*leads out/],
    [{ checks: [{ type: 'contains', value: 'x', path: '/etc/passwd' }] }, /checks\[0\]\.path: .*leads out/],
    [{ checks: { type: 'contains', value: 'x' } }, /\$\.evals\[0\]\.checks: /],
    [{ reference: 'the answer' }, /\$\.evals\[0\]\.reference: /],
    [{ timeout: '90s' }, /\$\.evals\[0\]\.timeout: /],
    [{ timeout: 0 }, /\$\.evals\[0\]\.timeout: /],
    [{ setup: ['npm ci'] }, /\$\.evals\[0\]\.setup: /],
    [{ git: 'yes' }, /\$\.evals\[0\]\.git: /],
    [{ eval_key: 3 }, /\$\.evals\[0\]\.eval_key: /],
    [{ turns: 'and now?' }, /\$\.evals\[0\]\.turns: /],
    [{ environment: { hook: {} } }, /\$\.evals\[0\]\.environment: .*hook/],
    [
      { environment: { hooks: { 'pre-tool-use': [] } } },
      /\$\.evals\[0\]\.environment\.hooks\.pre-tool-use: an event of/,
    ],
    [{ environment: { mcp_servers: { a: {} } } }, /\$\.evals\[0\]\.environment\.mcp_servers\.a: needs/],
    [{ checks: [{ type: 'agent_blocked', tol: 'Bash' }] }, /checks\[0\]: .*tol/],
  ])('%j', async (part, message) => {
    const error = await userError(loadEvals({ skill_name: 's', evals: [{ ...base, ...part }] }))
    expect(error.message).toMatch(message)
    expect(error.message).toContain('evals.json: ')
    expect(error.fix).toContain('docs/formats.md')
  })
  test('all of a file are named in one error, up to five', async () => {
    const evals = [1, 2, 3, 4, 5, 6].map((id) => ({ ...base, id, timeout: -1 }))
    const { message } = await userError(loadEvals({ skill_name: 's', evals }))
    expect(message.match(/\.timeout: /g)).toHaveLength(5)
    expect(message).toContain('(and 1 more)')
  })
})

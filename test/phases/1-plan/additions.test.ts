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
    [{ checks: [{ type: 'file_exists', path: 'a', weight: 2 }] }, { checks: [{ weight: 2 }] }],
    [{ checks: [{ type: 'command', run: 'x', reward: true }] }, { checks: [{ reward: true }] }],
    [{ expectations: [{ text: 't', weight: 0.5 }] }, { expectations: [{ text: 't', weight: 0.5 }] }],
    [{ timeout: 90 }, { timeout_seconds: 90 }],
    [{ setup: 'npm ci' }, { setup: 'npm ci' }],
    [{ setup: ['cd app', 'npm ci'] }, { setup: 'set -e\ncd app\nnpm ci' }],
    [{ teardown: 'docker compose down' }, { teardown: 'docker compose down' }],
    [{ collect: ['~/report.md', '/tmp/out/*.csv'] }, { collect: ['~/report.md', '/tmp/out/*.csv'] }],
    [
      { env: { MODE: 'fast', PORT: 8080, DRY: true } },
      {
        environment: {
          ...{ files: [], hooks: {}, rules: [], agents: [], mcp_servers: {} },
          env: { MODE: 'fast', PORT: '8080', DRY: 'true' },
        },
      },
    ],
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

test.each<[string, object[]]>([
  [
    'two rewards',
    [
      { type: 'command', run: 'x', reward: true },
      { type: 'command', run: 'y', reward: true },
    ],
  ],
  ['a reward that is an indicator', [{ type: 'command', run: 'x', reward: true, indicator: true }]],
])('%s in a case are a mistake', async (_what, checks) => {
  const { message } = await userError(loadEvals({ skill_name: 's', evals: [{ ...base, checks }] }))
  expect(message).toContain('$.evals[0].checks: only one check of a case can be its reward, and an indicator cannot')
})

describe('a folder to write to that would hide a part of the system is an error', () => {
  const asking = (writable: string[]) => loadEvals({ skill_name: 's', sandbox: { writable }, evals: [base] })
  test.each([
    ...['//', '/usr/bin', '/usr//local/x', '/bin', '/etc', '/etc/ssl', '/etc/passwd', '/var/../etc', '/proc'],
    ...['/sys/fs', '/dev', '/dev/', '/nix'],
  ])('%s', async (folder) => {
    const { message } = await userError(asking(['/var/cache/tool', folder]))
    expect(message).toContain(`evals.json: $.sandbox.writable[1]: "${folder}" would hide /`)
  })
  test('/', async () => {
    const { message } = await userError(asking(['/']))
    expect(message).toContain('$.sandbox.writable[0]: must be an absolute path below /')
  })
  test.each(['/var/cache/tool', '/etc/tool', '/opt', '/usrs', '/tmp/cache'])('not %s', async (folder) => {
    expect((await asking([folder])).sandbox).toEqual({ writable: [folder] })
  })
})

describe('a mistake is an error', () => {
  test.each<[object, RegExp]>([
    [{ checks: ['says 42'] }, /\$\.evals\[0\]\.checks\[0\]/],
    [{ checks: [{ type: 'contain', value: 'x' }] }, /\.type: unknown check type "contain"; did you mean "contains"\?/],
    [{ checks: [{ value: 'x' }] }, /checks\[0\]\.type/],
    [{ checks: [{ type: 'contains', value: 'x', tagret: 'answer' }] }, /checks\[0\]: .*tagret/],
    [{ checks: [{ type: 'regex', pattern: '(' }] }, /checks\[0\]\.pattern: Invalid regular expression/],
    [{ checks: [{ type: 'json_path', query: '$.items[' }] }, /checks\[0\]\.query: not a JSONPath query/],
    [{ checks: [{ type: 'file_exists', path: '../report.md' }] }, /checks\[0\]\.path: .*leads out/],
    [{ checks: [{ type: 'contains', value: 'x', path: '/etc/passwd' }] }, /checks\[0\]\.path: .*leads out/],
    [{ reference: 'the answer' }, /\$\.evals\[0\]\.reference: /],
    [{ setup: [] }, /\$\.evals\[0\]\.setup: /],
    [{ repo: { url: 'https://a.example/b', path: 'c' } }, /\.repo: must be a URL, a path, or an object with one/],
    [{ repo: { path: 'c', reff: 'main' } }, /\$\.evals\[0\]\.repo: has no field "reff"/],
    [{ git: 'yes' }, /\$\.evals\[0\]\.git: /],
    [{ eval_key: 3 }, /\$\.evals\[0\]\.eval_key: /],
    [{ turns: 'and now?' }, /\$\.evals\[0\]\.turns: /],
    [{ environment: { hook: {} } }, /\$\.evals\[0\]\.environment: .*hook/],
    [{ environment: { hooks: { 'pre-tool-use': [] } } }, /\.environment\.hooks\.pre-tool-use: must be an event of/],
    [{ environment: { mcp_servers: { a: {} } } }, /\$\.evals\[0\]\.environment\.mcp_servers\.a: needs/],
    [{ checks: [{ type: 'agent_blocked', tol: 'Bash' }] }, /checks\[0\]: .*tol/],
  ])('%j', async (part, message) => {
    const error = await userError(loadEvals({ skill_name: 's', evals: [{ ...base, ...part }] }))
    expect(error.message).toMatch(message)
    expect(error.message).toContain('evals.json: ')
    expect(error.fix).toContain('docs/reference/evals-json.md')
  })
  test.each<[object, string]>([
    [{ checks: { type: 'contains', value: 'x' } }, '$.evals[0].checks: must be a list, not an object'],
    [{ setup: '' }, '$.evals[0].setup: must not be empty'],
    [{ env: { A: null } }, '$.evals[0].env.A: must be text, a number or a boolean'],
    [{ env: { PATH: 'x' } }, '$.evals[0].env.PATH: a suite cannot set this variable: each run has its own value'],
    ...['~/.aws/credentials', '/etc/passwd', '~/../x', '/tmp/../etc/x', 'report.md', '~'].map(
      (place): [object, string] => [
        { collect: [place] },
        '$.evals[0].collect[0]: must be a path or glob that begins with ~/ or /tmp/, without hidden folders',
      ],
    ),
    [{ setup: 5 }, '$.evals[0].setup: must be a shell command, or a list of them'],
    [{ timeout: 0 }, '$.evals[0].timeout: must be above 0'],
    [{ timeout: '90s' }, '$.evals[0].timeout: must be a number, not text'],
    [{ reference: { text: 'x' } }, '$.evals[0].reference: has no field "text"'],
    [{ reference: { files: ['a'] } }, '$.evals[0].reference.files: must be an object, not a list'],
    [{ environment: { rules: null } }, '$.evals[0].environment.rules: must be a list, not null'],
    [{ rubric: { dimensions: [] } }, '$.evals[0].rubric.dimensions: must not be empty'],
    [{ checks: [{ type: 'contains' }] }, '$.evals[0].checks[0].value: is missing; it must be text'],
    [
      { checks: [{ type: 'contains', value: 'x', tool: 'y' }] },
      '$.evals[0].checks[0]: has no field "tool"; expected one of target, path, ignore_case, turn, weight, reward, text, indicator',
    ],
    [
      { checks: [{ type: 'contains', value: 'x', target: 'all' }] },
      '$.evals[0].checks[0].target: must be one of "answer", "outputs", "answer_or_outputs", "transcript"',
    ],
    [
      { checks: [{ type: 'similarity', value: 'x', at_least: 85 }] },
      '$.evals[0].checks[0].at_least: must be at most 1',
    ],
    [
      { checks: [{ type: 'turns_at_most', value: 1.5 }] },
      '$.evals[0].checks[0].value: must be a whole number, not 1.5',
    ],
    [
      { checks: [{ type: 'command', command: 'make' }] },
      '$.evals[0].checks[0].run: is missing; it must be text; $.evals[0].checks[0]: has no field "command"; did you mean "run"?',
    ],
    [
      { checks: [{ type: 'contains', value: 'x', ignorecase: true }] },
      '$.evals[0].checks[0]: has no field "ignorecase"; did you mean "ignore_case"?',
    ],
    [{ checks: [null, { type: 'file_exists', path: 7 }] }, '$.evals[0].checks[1].path: must be text, not 7'],
  ])('in our words: %j', async (part, said) => {
    const { message } = await userError(loadEvals({ skill_name: 's', evals: [{ ...base, ...part }] }))
    expect(message.slice(message.indexOf('$'))).toBe(said)
  })
  test('all of a file are named in one error, up to five', async () => {
    const evals = [1, 2, 3, 4, 5, 6].map((id) => ({ ...base, id, timeout: -1 }))
    const { message } = await userError(loadEvals({ skill_name: 's', evals }))
    expect(message.match(/\.timeout: /g)).toHaveLength(5)
    expect(message).toContain('(and 1 more)')
  })
})

describe('a check with a bad parameter is refused, with file, case, field and fix', () => {
  const hash = 'a'.repeat(64)
  test.each<[object, RegExp]>([
    [{ type: 'equals' }, /checks\[0\]\.value: /],
    [{ type: 'equals', value: 1, ignore_case: true }, /checks\[0\]\.ignore_case: only for a value that is text/],
    [{ type: 'equals', value: 'x', tolerance: 1 }, /checks\[0\]\.tolerance: only for a value that is a number/],
    [{ type: 'similarity', at_least: 0.5 }, /checks\[0\]: needs value or file/],
    [{ type: 'similarity', value: 'x', file: 'y', at_least: 0.5 }, /checks\[0\]: needs value or file/],
    [{ type: 'similarity', value: 'x', at_least: 0 }, /checks\[0\]\.at_least: /],
    [{ type: 'similarity', value: 'x', at_least: 0.5, algorithm: 'cosine' }, /checks\[0\]\.algorithm: /],
    [{ type: 'similarity', file: 'evals/none.txt', at_least: 0.5 }, /checks\[0\]\.file: .*no such file/],
    [{ type: 'similarity', file: '../out.txt', at_least: 0.5 }, /checks\[0\]\.file: /],
    [{ type: 'similarity', file: '/etc/hostname', at_least: 0.5 }, /checks\[0\]\.file: \/etc\/hostname leads out/],
    [{ type: 'json_schema' }, /checks\[0\]: needs schema or file/],
    [{ type: 'json_schema', schema: { type: 'nmber' } }, /checks\[0\]\.schema: schema is invalid/],
    [{ type: 'json_schema', schema: { requierd: [] } }, /checks\[0\]\.schema: .*unknown keyword: "requierd"/],
    [{ type: 'json_schema', schema: { format: 'datum' } }, /checks\[0\]\.schema: unknown format "datum"/],
    [{ type: 'json_schema', schema: { $ref: 'https://example.org/s.json' } }, /checks\[0\]\.schema: can't resolve/],
    [
      { type: 'json_schema', schema: { $schema: 'http://json-schema.org/draft-04/schema#' } },
      /its \$schema is unknown/,
    ],
    [{ type: 'json_schema', schema: { $async: true } }, /\$async is not supported/],
    [{ type: 'json_schema', file: 'evals/evals.json', path: '/x' }, /checks\[0\]\.path: .*leads out/],
    [{ type: 'csv', path: 'a.csv' }, /checks\[0\]: needs columns, rows or cells/],
    [{ type: 'csv', rows: {} }, /checks\[0\]\.rows: needs min, max or both/],
    [{ type: 'csv', rows: { min: 3, max: 2 } }, /checks\[0\]\.rows: min is above max/],
    [{ type: 'csv', rows: { min: 3, equals: 3 } }, /checks\[0\]\.rows: needs min/],
    [{ type: 'csv', rows: 3 }, /checks\[0\]\.rows: /],
    [{ type: 'csv', delimiter: '||', columns: ['a'] }, /checks\[0\]\.delimiter: /],
    [{ type: 'csv', cells: [{ where: { a: [1] }, column: 'b', equals: 1 }] }, /checks\[0\]\.cells\[0\]\.where\.a: /],
    [{ type: 'csv', cells: [{ colum: 'b', equals: 1 }] }, /checks\[0\]\.cells\[0\]/],
    [{ type: 'file_absent', path: '../a' }, /checks\[0\]\.path: .*leads out/],
    [{ type: 'file_absent', path: 'node_modules/a' }, /checks\[0\]\.path: .*not collected/],
    [{ type: 'file_absent', path: '.claude/skills/x' }, /checks\[0\]\.path: .*not collected/],
    [{ type: 'file_modified' }, /checks\[0\]\.path: /],
    [{ type: 'file_hash', path: 'a', sha256: 'abc' }, /checks\[0\]\.sha256: must be 64 hex digits/],
    [{ type: 'file_hash', path: 'a', md5: hash }, /checks\[0\]/],
    [{ type: 'file_count', path: '*.md' }, /checks\[0\]\.count: /],
    [{ type: 'file_size', path: 'a', bytes: { min: -1 } }, /checks\[0\]\.bytes\.min: /],
    [{ type: 'tool_used' }, /checks\[0\]\.name: /],
    [{ type: 'tool_used', name: 'Bash', input: '(' }, /checks\[0\]\.input: Invalid regular expression/],
    [{ type: 'tool_used', name: 'Bash', input_json: '(' }, /checks\[0\]\.input_json: Invalid regular expression/],
    [{ type: 'tool_not_used', name: 'Bash', times: { max: 0 } }, /checks\[0\]: .*times/],
    [{ type: 'tool_not_used', name: [] }, /checks\[0\]\.name/],
    [{ type: 'tool_order' }, /checks\[0\]\.tools/],
    [{ type: 'tool_order', tools: ['A'], mode: 'any' }, /checks\[0\]\.mode: .*in_order/],
    [{ type: 'tool_order', tools: ['A', { tool: 'B' }] }, /checks\[0\]\.tools\[1\]/],
    [
      { type: 'tool_order', tools: ['A', { name: 'B', input: '(' }] },
      /checks\[0\]\.tools\[1\]\.input: Invalid regular/,
    ],
    [{ type: 'tool_calls_at_most', value: 1, input_json: '(' }, /checks\[0\]\.input_json: Invalid regular/],
    [{ type: 'tool_order', tools: ['A'], times: 2 }, /checks\[0\]: .*times/],
    [{ type: 'no_loop', max_repeats: 0 }, /checks\[0\]\.max_repeats/],
    [{ type: 'file_exists', path: 'a', weight: 0 }, /checks\[0\]\.weight: /],
    [{ type: 'file_exists', path: 'a', weight: '2' }, /checks\[0\]\.weight: /],
    [{ type: 'skill_read', reward: true }, /checks\[0\]/],
    [{ type: 'skill_read', indicator: false }, /checks\[0\]\.indicator: .*always an indicator/],
    [{ type: 'script_executed', script: '../x.py' }, /checks\[0\]\.script: .*leads out of the skill's folder/],
    [{ type: 'turns_at_most', value: 0 }, /checks\[0\]\.value: /],
    [{ type: 'tokens_at_most', value: '5k' }, /checks\[0\]\.value: /],
    [{ type: 'cost_at_most', value: -1 }, /checks\[0\]\.value: /],
    [{ type: 'duration_at_most', value: '60s' }, /checks\[0\]\.value: /],
  ])('%j', async (check, message) => {
    const error = await userError(loadEvals({ skill_name: 's', evals: [{ ...base, checks: [check] }] }))
    expect(error.message).toMatch(message)
    expect(error.message).toContain('evals.json: $.evals[0].checks[0]')
    expect(error.fix).toContain('docs/reference/evals-json.md')
  })
})

describe('null among the checks', () => {
  const made = { type: 'file_exists', path: 'a' }
  const skipped = (index: number) => `$.evals[0].checks[${index}]: null, not a check; it is skipped`
  test('is skipped with a warning', async () => {
    const { case: one, warnings } = await loadCase({ ...base, checks: [null, made, null] })
    expect(one).toMatchObject({ checks: [made], cannot_run: null })
    expect(warnings).toEqual([skipped(0).replace('skipped', 'skipped (here and at 1 more)')])
  })
  test('alone is no check', async () => {
    const { case: one, warnings } = await loadCase({ ...base, checks: [null] })
    expect(one).toMatchObject({ checks: [], cannot_run: null })
    expect(warnings).toEqual([skipped(0)])
  })
  test.each<[object, RegExp]>([
    [{ type: 'contain' }, /checks\[2\]\.type: unknown check type "contain"/],
    [{ type: 'contains' }, /checks\[2\]\.value: /],
    [{ type: 'regex', pattern: '(' }, /checks\[2\]\.pattern: /],
    [{ type: 'similarity', file: 'none', at_least: 0.5 }, /checks\[2\]\.file: /],
  ])('leaves the place of %j', async (broken, message) => {
    const evals = [{ ...base, checks: [made, null, broken] }]
    expect((await userError(loadEvals({ skill_name: 's', evals }))).message).toMatch(message)
  })
})

describe('a file that a check names', () => {
  const load = (check: object, files: Record<string, string>) => loadCase({ ...base, checks: [check] }, files)
  test('is read with the suite: the case holds its content', async () => {
    const like = { type: 'similarity', at_least: 0.5, file: 'evals/expected.txt' }
    const { case: one } = await load(like, { 'evals/expected.txt': 'The total is 42.\n' })
    expect(one.checks).toEqual([{ type: 'similarity', at_least: 0.5, value: 'The total is 42.\n' }])
    const fits = { type: 'json_schema', file: './evals/schema.json' }
    const { case: other } = await load(fits, { 'evals/schema.json': '{"type":"object"}' })
    expect(other.checks).toEqual([{ type: 'json_schema', schema: { type: 'object' } }])
  })
  test.each<[string, string, RegExp]>([
    ['similarity', ' \n', /checks\[0\]\.file: evals\/f is empty/],
    ['json_schema', '[1]', /checks\[0\]\.file: evals\/f contains no JSON Schema/],
    ['json_schema', '{', /checks\[0\]\.file: evals\/f:1:2: not valid JSON/],
    ['json_schema', '{"type":"nmber"}', /checks\[0\]\.schema: schema is invalid/],
  ])('%s of %j', async (type, text, message) => {
    const check = { type, file: 'evals/f', ...(type === 'similarity' && { at_least: 0.5 }) }
    expect((await userError(load(check, { 'evals/f': text }))).message).toMatch(message)
  })
})

/** Fields of our own in a suite: each is read, and a mistake in one is an error that names file, place and fix. */
import { describe, expect, test } from 'vitest'
import { loadCase, loadEvals, userError } from './folder.ts'

const base = { id: 1, prompt: 'p', expectations: ['e'] }

describe('each is read', () => {
  test.each<[object, object]>([
    [{ checks: [{ type: 'file_exists', path: 'a', weight: 2 }] }, { checks: [{ weight: 2 }] }],
    [{ checks: [{ type: 'command', run: 'x', reward: true }] }, { checks: [{ reward: true }] }],
    [{ expectations: [{ text: 't', weight: 0.5 }] }, { expectations: [{ text: 't', weight: 0.5 }] }],
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

test('a subfolder outside of its repository keeps a case from running', async () => {
  const readFrom = async (subdir: string) => (await loadCase({ ...base, repo: { path: '.', subdir } })).case.cannot_run
  expect(await readFrom('../other')).toContain('subdir "../other" leads out of the repository')
  expect(await readFrom('a/../b')).toBeNull()
})

describe('a mistake is an error', () => {
  test.each<[object, RegExp]>([
    [{ checks: ['says 42'] }, /\$\.evals\[0\]\.checks\[0\]/],
    [{ checks: [{ type: 'contain', value: 'x' }] }, /\.type: unknown check type "contain"; did you mean "contains"\?/],
    [{ checks: [{ type: 'contains', value: 'x', tagret: 'answer' }] }, /checks\[0\]: .*tagret/],
    [{ checks: [{ type: 'regex', pattern: '(' }] }, /checks\[0\]\.pattern: Invalid regular expression/],
    [{ checks: [{ type: 'json_path', query: '$.items[' }] }, /checks\[0\]\.query: not a JSONPath query/],
    [{ checks: [{ type: 'file_exists', path: '../report.md' }] }, /checks\[0\]\.path: .*leads out/],
    [{ checks: [{ type: 'contains', value: 'x', path: '/etc/passwd' }] }, /checks\[0\]\.path: .*leads out/],
    [{ repo: { url: 'https://a.example/b', path: 'c' } }, /\.repo: must be a URL, a path, or an object with one/],
    [{ repo: { path: 'c', reff: 'main' } }, /\$\.evals\[0\]\.repo: has no field "reff"/],
    [{ environment: { hooks: { 'pre-tool-use': [] } } }, /\.environment\.hooks\.pre-tool-use: must be an event of/],
    [{ environment: { mcp_servers: { a: {} } } }, /\$\.evals\[0\]\.environment\.mcp_servers\.a: needs/],
  ])('%j', async (part, message) => {
    const error = await userError(loadEvals({ skill_name: 's', evals: [{ ...base, ...part }] }))
    expect(error.message).toMatch(message)
    expect(error.message).toContain('evals.json: ')
    expect(error.fix).toContain('docs/reference/evals-json.md')
  })
  test.each<[object, string]>([
    [{ checks: { type: 'contains', value: 'x' } }, '$.evals[0].checks: must be a list, not an object'],
    [{ setup: '' }, '$.evals[0].setup: must not be empty'],
    [{ env: { PATH: 'x' } }, '$.evals[0].env.PATH: a suite cannot set this variable: each run has its own value'],
    ...['~/.aws/credentials', '/etc/passwd', '~/../x', '/tmp/../etc/x', 'report.md', '~'].map(
      (place): [object, string] => [
        { collect: [place] },
        '$.evals[0].collect[0]: must be a path or glob that begins with ~/ or /tmp/, without hidden folders',
      ],
    ),
    [{ timeout: 0 }, '$.evals[0].timeout: must be above 0'],
    [{ timeout: '90s' }, '$.evals[0].timeout: must be a number, not text'],
    [{ checks: [{ type: 'contains' }] }, '$.evals[0].checks[0].value: is missing; it must be text'],
    [
      { checks: [{ type: 'contains', value: 'x', target: 'all' }] },
      '$.evals[0].checks[0].target: must be one of "answer", "outputs", "answer_or_outputs", "transcript"',
    ],
    [
      { checks: [{ type: 'turns_at_most', value: 1.5 }] },
      '$.evals[0].checks[0].value: must be a whole number, not 1.5',
    ],
    [
      { checks: [{ type: 'command', command: 'make' }] },
      '$.evals[0].checks[0].run: is missing; it must be text; $.evals[0].checks[0]: has no field "command"; did you mean "run"?',
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
  test.each<[object, RegExp]>([
    [{ type: 'equals', value: 'x', tolerance: 1 }, /checks\[0\]\.tolerance: only for a value that is a number/],
    [{ type: 'similarity', at_least: 0.5 }, /checks\[0\]: needs value or file/],
    [{ type: 'similarity', value: 'x', file: 'y', at_least: 0.5 }, /checks\[0\]: needs value or file/],
    [{ type: 'similarity', file: 'evals/none.txt', at_least: 0.5 }, /checks\[0\]\.file: .*no such file/],
    [{ type: 'similarity', file: '../out.txt', at_least: 0.5 }, /checks\[0\]\.file: /],
    [{ type: 'similarity', file: '/etc/hostname', at_least: 0.5 }, /checks\[0\]\.file: \/etc\/hostname leads out/],
    [{ type: 'json_schema' }, /checks\[0\]: needs schema or file/],
    [{ type: 'json_schema', schema: { type: 'nmber' } }, /checks\[0\]\.schema: schema is invalid/],
    [{ type: 'json_schema', schema: { requierd: [] } }, /checks\[0\]\.schema: .*unknown keyword: "requierd"/],
    [{ type: 'json_schema', schema: { $ref: 'https://example.org/s.json' } }, /checks\[0\]\.schema: can't resolve/],
    [
      { type: 'json_schema', schema: { $schema: 'http://json-schema.org/draft-04/schema#' } },
      /its \$schema is unknown/,
    ],
    [{ type: 'json_schema', file: 'evals/evals.json', path: '/x' }, /checks\[0\]\.path: .*leads out/],
    [{ type: 'csv', path: 'a.csv' }, /checks\[0\]: needs columns, rows or cells/],
    [{ type: 'csv', rows: { min: 3, max: 2 } }, /checks\[0\]\.rows: min is above max/],
    [{ type: 'csv', rows: { min: 3, equals: 3 } }, /checks\[0\]\.rows: needs min/],
    [{ type: 'file_absent', path: '../a' }, /checks\[0\]\.path: .*leads out/],
    [{ type: 'file_absent', path: 'node_modules/a' }, /checks\[0\]\.path: .*not collected/],
    [{ type: 'file_hash', path: 'a', sha256: 'abc' }, /checks\[0\]\.sha256: must be 64 hex digits/],
    [{ type: 'tool_used', name: 'Bash', input: '(' }, /checks\[0\]\.input: Invalid regular expression/],
    [{ type: 'tool_used', name: 'Bash', input_json: '(' }, /checks\[0\]\.input_json: Invalid regular expression/],
    [{ type: 'file_exists', path: 'a', weight: 0 }, /checks\[0\]\.weight: /],
    [{ type: 'script_executed', indicator: false }, /checks\[0\]\.indicator: .*always an indicator/],
    [{ type: 'script_executed', script: '../x.py' }, /checks\[0\]\.script: .*leads out of the skill's folder/],
    [{ type: 'cost_at_most', value: -1 }, /checks\[0\]\.value: /],
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
  test.each<[object, RegExp]>([
    [{ type: 'contain' }, /checks\[2\]\.type: unknown check type "contain"/],
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

const rubric = {
  dimensions: [
    { name: 'accuracy', weight: 3, description: 'Right?', anchors: { '1': 'no', '5': 'yes' } },
    { name: 'style', weight: 1 },
  ],
  threshold: 3.5,
  hard_fails: ['It invents a number'],
}
const statement = { text: 'Rubric: accuracy 75 %, style 25 %', rubric }
const bare = { id: 1, prompt: 'p' }

describe('a rubric is read', () => {
  test('of a case, as its last expectation', async () => {
    const { case: one, warnings } = await loadCase({ ...bare, expectations: ['e'], rubric })
    expect(one.expectations).toEqual([{ text: 'e' }, statement])
    expect(warnings).toEqual([])
  })
  test('alone: nothing is derived from the expected output', async () => {
    const { case: one } = await loadCase({ ...bare, expected_output: 'x', rubric })
    expect(one.expectations).toEqual([statement])
  })
  test('of the file, for every case without one of its own', async () => {
    const own = { dimensions: [{ name: 'depth', weight: 1 }] }
    const evals = [bare, { ...bare, id: 2, rubric: own }, { ...bare, id: 3, rubric: false, expectations: ['e'] }]
    const { cases, warnings } = await loadEvals({ skill_name: 's', rubric, evals })
    expect(cases.map(({ expectations }) => expectations.map(({ text }) => text))).toEqual([
      [statement.text],
      ['Rubric: depth 100 %'],
      ['e'],
    ])
    expect(warnings).toEqual([])
  })
  test('of the file where the case has null, which is the same as absent', async () => {
    const { cases } = await loadEvals({ skill_name: 's', rubric, evals: [{ ...bare, rubric: null }] })
    expect(cases[0]?.expectations).toEqual([statement])
  })
  test.each([[['a', 'b']], ['a'], [{ text: 'a' }]])(
    'what another tool calls a rubric is a statement: %j',
    async (given) => {
      const { case: one, warnings } = await loadCase({ ...bare, rubric: given })
      expect(one.expectations[0]).toEqual({ text: 'a' })
      expect(warnings[0]).toContain('"rubric" is read as "expectations"')
    },
  )
})

describe('a mistake in a rubric is refused with file, case, field and fix', () => {
  const [first, second] = rubric.dimensions
  test.each<[object, RegExp]>([
    [
      { ...rubric, dimensions: [first, { ...second, name: 'Accuracy' }] },
      /rubric\.dimensions: two dimensions have the same name/,
    ],
    [{ ...rubric, dimensions: [{ name: 'a', weight: 0 }] }, /rubric\.dimensions\[0\]\.weight: /],
    [{ ...rubric, dimensions: [{ name: 'a`b', weight: 1 }] }, /rubric\.dimensions\[0\]\.name: must be letters, digits/],
    [
      { ...rubric, dimensions: [{ name: 'a', weight: 1, anchors: { '6': 'x' } }] },
      /rubric\.dimensions\[0\]\.anchors: /,
    ],
    [{ ...rubric, threshold: 80 }, /rubric\.threshold: /],
    [{ ...rubric, hard_fails: [{ id: 'HF1' }] }, /rubric\.hard_fails\[0\]: /],
    [{ ...rubric, treshold: 4 }, /rubric: .*treshold/],
  ])('%j', async (given, message) => {
    const error = await userError(loadEvals({ skill_name: 's', evals: [{ ...bare, rubric: given }] }))
    expect(error.message).toMatch(message)
    expect(error.message).toContain('evals.json: $.evals[0].rubric')
    expect(error.fix).toContain('docs/reference/evals-json.md')
  })
})

test.each<[string, object, object, string[] | undefined]>([
  ['none', {}, {}, undefined],
  ['of the case', {}, { owner: 'a' }, ['a']],
  ['several of the case', {}, { owners: ['a', 'b', 'a'] }, ['a', 'b']],
  ['of the file', { owner: 'x' }, {}, ['x']],
  ['the case overrides the file', { owners: ['x'] }, { owner: 'a' }, ['a']],
  ['both fields', {}, { owner: 'a', owners: ['b'] }, ['a', 'b']],
  ['an object of another tool', {}, { owner: { name: 'a' } }, undefined],
  ['an empty list', { owner: 'x' }, { owners: [] }, ['x']],
])('the owners of a case: %s', async (_, ofFile, ofCase, owners) => {
  const { cases } = await loadEvals({ skill_name: 's', ...ofFile, evals: [{ ...base, ...ofCase }] })
  expect(cases[0]?.owners).toEqual(owners)
  expect(cases[0]?.cannot_run).toBeNull()
})

/** Suites of `claude plugin eval`: where they lie, what each field and grader becomes, and what is named as not read. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { addFeatures } from '../../../src/features/table.ts'
import { checkSkill } from '../../../src/phases/1-plan/check/check_skill.ts'
import { hashSuite, loadSuite } from '../../../src/phases/1-plan/suite/load_suite.ts'
import { folderOf, skillText, userError } from '../../phases/1-plan/folder.ts'

const grader = (front: string, body = '') => `---\n${front}\n---\n\n${body}\n`
const llm = { 'graders/good.md': grader('type: llm', 'The answer names the sum.\nAnd the currency.') }

/** Lines of a session that Claude Code saved: an answer, a tool's result, a note of its own and a sub-agent are no messages. */
const session = [
  { type: 'summary', summary: 'Sums' },
  { type: 'user', message: { role: 'user', content: 'Add up' } },
  { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'In which currency?' }] } },
  { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'In EUR' }] } },
  {
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] },
  },
  { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: '4' }] } },
  { type: 'user', isMeta: true, message: { role: 'user', content: 'Caveat' } },
  { type: 'user', isSidechain: true, message: { role: 'user', content: 'Sub-task' } },
]
  .map((line) => JSON.stringify(line))
  .join('\n')

function skillOf(cases: Record<string, Record<string, string>>): string {
  const files = Object.entries(cases).flatMap(([name, inner]) =>
    Object.entries(inner).map(([file, text]) => [`evals/${name}/${file}`, text]),
  )
  return folderOf({ 'SKILL.md': skillText, ...Object.fromEntries(files) })
}

/** The only case, and the warnings, of a suite with these files in its folder. */
async function caseOf(files: Record<string, string>) {
  const suite = await loadSuite(skillOf({ sum: { 'prompt.md': 'Add up.', ...files } }))
  return { ...suite.cases[0], warnings: suite.warnings.map(({ at, message }) => `${at}: ${message}`) }
}

describe('where it lies', () => {
  test('in the skill, cases sorted, with ids of their own', async () => {
    const root = skillOf({ b: { 'prompt.md': 'B', ...llm }, 'a/deep': { 'prompt.md': 'A', ...llm } })
    const suite = await loadSuite(root)
    expect(suite).toMatchObject({ format: 'plugin-eval', path: path.join(root, 'evals'), skill_name: 'sums' })
    expect(suite.cases.map((one) => [one.eval_id, one.eval_key, one.eval_name, one.prompt])).toEqual([
      [1, 'a/deep', 'a/deep', 'A'],
      [2, 'b', 'b', 'B'],
    ])
    expect(suite.warnings).toEqual([])
  })
  test.each(['', 'evals', 'evals/one/prompt.md'])('in a plugin, named by its folder: plugin/%s', async (place) => {
    const plugin = { 'evals/one/prompt.md': 'One', 'evals/one/graders/g.md': llm['graders/good.md'] }
    const root = folderOf({ ...plugin, 'skills/sums/SKILL.md': skillText, 'plugin.json': '{}' })
    const suite = await loadSuite(path.join(root, place), path.join(root, 'skills/sums'))
    expect(suite.cases.map((one) => [one.eval_name, one.prompt])).toEqual([['one', 'One']])
    expect(suite.skill_name).toBe('sums')
  })
  const ofPlugin = {
    '.claude-plugin/plugin.json': '{ "name": "p" }',
    'evals/one/prompt.md': 'One',
    'evals/one/graders/g.md': llm['graders/good.md'],
  }
  test.each(['skills/sums', 'skills/group/sums', 'sums'])('in the plugin of its only skill, %s', async (place) => {
    const root = folderOf({ ...ofPlugin, [`${place}/SKILL.md`]: skillText })
    const suite = await loadSuite(path.join(root, place))
    expect(suite).toMatchObject({ path: path.join(root, 'evals'), skill_name: 'sums', cases: [{ prompt: 'One' }] })
  })
  test('a skill among others has no suite, and the error names that of the plugin', async () => {
    const root = folderOf({ ...ofPlugin, 'skills/sums/SKILL.md': skillText, 'skills/b/SKILL.md': skillText })
    const error = await userError(loadSuite(path.join(root, 'skills/sums')))
    expect([error.message, error.fix]).toEqual([
      `${root}/skills/sums: no suite found`,
      `name that of its plugin: --suite ${root}/evals`,
    ])
  })
  test('a suite of the skill wins, and a repository around the plugin is not searched', async () => {
    const own = folderOf({
      ...ofPlugin,
      'skills/sums/SKILL.md': skillText,
      'skills/sums/evals/evals.json': '[{"prompt":"p"}]',
    })
    expect((await loadSuite(path.join(own, 'skills/sums'))).format).toBe('evals.json')
    const far = folderOf({ ...ofPlugin, 'inner/.git/HEAD': '', 'inner/sums/SKILL.md': skillText })
    expect((await userError(loadSuite(path.join(far, 'inner/sums')))).message).toContain('no suite found')
  })
  test('evals.json wins where both are there', async () => {
    const root = folderOf({ 'SKILL.md': skillText, 'evals/evals.json': '[{"prompt":"p"}]', 'evals/a/prompt.md': 'A' })
    expect((await loadSuite(root)).format).toBe('evals.json')
  })
  test('results of earlier runs are no cases, and not part of its hash', async () => {
    const one = { 'prompt.md': 'B', ...llm }
    const [plain, ran] = [skillOf({ b: one }), skillOf({ b: one, 'results/x': { 'prompt.md': 'B' } })]
    const suites = [await loadSuite(plain), await loadSuite(ran)] as const
    expect(suites[1].cases).toHaveLength(1)
    expect(await hashSuite(suites[0])).toBe(await hashSuite(suites[1]))
    expect(await hashSuite(await loadSuite(skillOf({ b: { ...one, 'prompt.md': 'C' } })))).not.toBe(
      await hashSuite(suites[0]),
    )
  })
})

describe('a case', () => {
  const yaml = (text: string) => ({ 'case.yaml': `schema_version: "1.0"\nname: from-yaml\n${text}` })
  const prompt = (text: string, front = 'name: n') => ({ 'prompt.md': `---\n${front}\n---\n\n${text}\n` })
  const none = { 'prompt.md': '' }
  const scaffold = (file: string) => yaml(`context: { scaffold_script: ${file} }`)
  const history = (file: string) => yaml(`context: { history_file: ${file} }`)
  const before = (how: string) => yaml(`context: { conversation_history: ${how} }`)
  const said = '[{ role: user, content: Add up }, { role: assistant, content: 4 }]'
  const elsewhere = '../../../../etc/passwd'
  const stopped = (reason: string) => ({ cannot_run: expect.stringContaining(reason) })
  const talk = (...turns: string[]) => ({
    prompt: 'Add up',
    turns: turns.map((one) => ({ prompt: one })),
    cannot_run: null,
  })
  test.each<[string, Record<string, string>, object]>([
    ['the body of prompt.md is the prompt', prompt('Do it.'), { prompt: 'Do it.', eval_name: 'n' }],
    [
      'case.yaml has its own',
      { ...none, ...yaml('execution: { prompt: X }') },
      { prompt: 'X', eval_name: 'from-yaml' },
    ],
    ['prompt.md wins over case.yaml', yaml('execution: { prompt: Do that. }'), { prompt: 'Add up.' }],
    ['timeout_seconds', prompt('x', 'timeout_seconds: 90'), { timeout_seconds: 90 }],
    ['expected_outcome', yaml('expected_outcome: a sum'), { expected_output: 'a sum' }],
    [
      'a scaffold',
      { ...scaffold('s.sh'), 's.sh': "echo 'a'" },
      { setup: `bash -c 'echo '"'"'a'"'"''`, cannot_run: null },
    ],
    ['a scaffold that is not there', scaffold('s.sh'), { cannot_run: 'scaffold script s.sh: no such file' }],
    ['one that looks around', { ...scaffold('s.sh'), 's.sh': '. "$(dirname "$0")/l.sh"' }, stopped('next to itself')],
    [
      'one of several cases',
      { ...scaffold('../s.sh'), '../s.sh': 'echo a' },
      { setup: "bash -c 'echo a'", cannot_run: null },
    ],
    ['a scaffold from elsewhere', scaffold(elsewhere), { setup: null, ...stopped('leads out of what holds evals/') }],
    ['a scaffold that is no path', scaffold('5'), stopped('"scaffold_script" is a number, not the path of a script')],
    ['a saved session', { ...history('h.jsonl'), 'h.jsonl': session }, talk('In EUR', 'Add up.')],
    ['messages before', before(said), talk('Add up.')],
    [
      'a session that is not there',
      history('h.jsonl'),
      stopped('history_file h.jsonl: no such file in what holds evals/'),
    ],
    ['a session from elsewhere', history(elsewhere), stopped('no such file in what holds evals/')],
    ['a session that is none', { ...history('h.jsonl'), 'h.jsonl': 'Hello' }, stopped('not a session of Claude Code')],
    [
      'a session with a picture alone',
      { ...history('h.jsonl'), 'h.jsonl': '{"role":"user","content":[{"type":"image"}]}' },
      stopped('history_file h.jsonl: conversation_history[0]'),
    ],
    ['a conversation in another form', history('[h.jsonl]'), stopped('history_file')],
    [
      'folders of add_dirs, each under its own name',
      {
        ...yaml('context: { add_dirs: [logs, ../../shared/more] }'),
        'logs/a.txt': 'a',
        '../../shared/more/b.txt': 'b',
      },
      { files: [{ path: 'logs', kind: 'directory', bytes: 1 }, { path: 'more' }], cannot_run: null },
    ],
    ['one folder of add_dirs', { ...yaml('add_dirs: logs'), 'logs/a.txt': 'a' }, { files: [{ path: 'logs' }] }],
    ['add_dirs that is not there', yaml('add_dirs: [gone]'), stopped('add_dirs evals/sum/gone: no such file')],
    ['add_dirs from elsewhere', yaml('add_dirs: [../../../..]'), stopped('leads out of')],
    ['add_dirs with the suite', yaml('add_dirs: [.]'), stopped('it contains the suite itself')],
    [
      'add_dirs with graders',
      { ...yaml('add_dirs: [graders]'), 'graders/a.txt': 'a' },
      stopped('agents must not see them'),
    ],
    [
      'add_dirs with another case',
      { ...yaml('add_dirs: [other]'), 'other/prompt.md': 'a' },
      stopped('agents must not see them'),
    ],
    ['add_dirs that is no path', yaml('add_dirs: [5]'), stopped('"add_dirs" has a number, not the path of a folder')],
    [
      'two folders of one name',
      { ...yaml('add_dirs: [a/x, b/x]'), 'a/x/1.txt': '', 'b/x/2.txt': '' },
      stopped('"add_dirs" has two folders named x'),
    ],
    [
      'a system prompt and variables',
      yaml('execution: { append_system_prompt: Be brief., env: { A: 1 } }'),
      { environment: { system_prompt: 'Be brief.', env: { A: '1' } }, cannot_run: null },
    ],
    ['variables of another form', yaml('env: [A]'), stopped('"env" must be a mapping')],
    ['no prompt', prompt(''), { cannot_run: 'it has no prompt' }],
    ['a list', { ...none, ...yaml('prompt: [a, b]') }, stopped('it has no prompt: "prompt" is a list, not text')],
    ['a case.yaml that is a list', { 'case.yaml': '[a]' }, stopped('case.yaml has a list where its fields should be')],
    ['an empty case.yaml', { 'case.yaml': '' }, { cannot_run: null }],
    ['YAML that is none', { 'case.yaml': 'a: [' }, stopped('case.yaml:1:5 is not valid YAML')],
  ])('%s', async (_, files, expected) => expect(await caseOf({ ...files, ...llm })).toMatchObject(expected))

  test.each(['runs: 5', 'allowed_tools: [Read]'])('%s is named as not read', async (line) => {
    const { warnings } = await caseOf({ 'prompt.md': `---\n${line}\n---\nx`, ...llm })
    expect(warnings).toEqual([expect.stringContaining(`sum: "${line.split(':')[0]}" of a case is not read`)])
  })
})

describe('a field in another form keeps the case from running', () => {
  test.each<[string, string]>([
    ['timeout_seconds: "30"', '"timeout_seconds" is "30", not a number of seconds above 0'],
    ['timeout_seconds: .inf', '"timeout_seconds" is Infinity, not a number of seconds above 0'],
    ['execution: foo', '"execution" is "foo", not a mapping'],
    ['graders: { name: n, type: llm, criteria: c }', '"graders" is an object, not a list'],
  ])('%s', async (line, said) => {
    const { cannot_run } = await caseOf({ 'case.yaml': `schema_version: "1.0"\n${line}`, ...llm })
    expect(cannot_run).toBe(said)
  })
  test('but its name only gets a warning', async () => {
    const { eval_name, warnings, cannot_run } = await caseOf({ 'case.yaml': 'schema_version: "1.0"\nname: 5', ...llm })
    expect([eval_name, warnings, cannot_run]).toEqual([
      'sum',
      ['sum: "name" of a case is not read: it is not text'],
      null,
    ])
  })
  test.each([
    { 'prompt.md': '---\ngraders: [{ type: llm, criteria: c }]\n---\nx' },
    { 'case.yaml': 'schema_version: "1.0"\nexecution: { graders: [{ type: llm, criteria: c }] }' },
  ])('graders where they do not belong: %j', async (files) => {
    expect((await caseOf({ ...files, ...llm })).cannot_run).toBe(
      '"graders" is in a place that is not read: write them at the top of case.yaml, or in graders/*.md',
    )
  })
  test('null is absent', async () => {
    const fields = ['name', 'expected_outcome', 'timeout_seconds', 'execution', 'context', 'graders', 'prompt']
    const lines = [...fields, 'scaffold_script', 'history_file'].map((field) => `${field}: null`)
    const found = await caseOf({ 'case.yaml': `schema_version: "1.0"\n${lines.join('\n')}`, ...llm })
    expect([found.warnings, found.cannot_run]).toEqual([[], null])
  })
})

describe('a grader', () => {
  const read = (front: string, body = '') => caseOf({ 'graders/g.md': grader(front, body) })
  const used = (check: object) => ({ checks: [{ type: 'tool_used', name: 'Bash', text: 'g', ...check }], warnings: [] })
  const check = (one: object) => ({ checks: [one], warnings: [] })
  const answer = (one: object) => check({ type: 'regex', ...one })
  const file = (path: string, type = 'file_exists') => check({ type, path, text: 'g' })
  const unused = (one: object) => check({ type: 'tool_not_used', text: 'g', ...one })
  const order = (tools: unknown[], more: object = {}) =>
    check({ type: 'tool_order', mode: 'first_in_order', tools, text: 'g', ...more })
  const calls = [
    { name: 'Bash', input_json: 'npm test' },
    { name: 'Bash', input_json: 'git commit' },
  ]
  const ordered =
    'type: tool_order\nbefore: { tool: Bash, input_match: npm test }\nafter: { tool: Bash, input_match: git commit }'
  const bash = 'type: tool_used\ntool: Bash'
  test.each<[string, string, string, object]>([
    ['llm', 'type: llm', 'It is kind.', { expectations: [{ text: 'It is kind.' }], warnings: [] }],
    ['llm with criteria', 'type: llm\ncriteria: It is kind.', '', { expectations: [{ text: 'It is kind.' }] }],
    ['regex in its body', 'type: regex', 'a+b', answer({ pattern: 'a+b', text: 'The final answer matches /a+b/' })],
    ['regex with flags', 'type: regex\npattern: a\nflags: gi', '', answer({ pattern: 'a', flags: 'i' })],
    ['of a file', 'type: regex\ntarget: { source: file, path: o.md }', 'a', answer({ pattern: 'a', path: 'o.md' })],
    ['file_exists', "type: file_exists\npath: 'out/*.md'", '', file('out/*.md')],
    ['a file that must be absent', 'type: file_exists\npath: a\nexists: false', '', file('a', 'file_absent')],
    ['tool_used', bash, '', used({})],
    ['the Skill tool', 'type: tool_used\ntool: Skill', '', { checks: [{ name: 'Skill', indicator: true }] }],
    ['in both arms', 'type: tool_used\ntool: Skill\narm: both\nmin: 0\nmax: 0', '', unused({ name: 'Skill' })],
    ['tool_used with min', `${bash}\nmin: 2`, '', used({ times: { min: 2 } })],
    ['tool_used with max: at least one', `${bash}\nmax: 3`, '', used({ times: { min: 1, max: 3 } })],
    ['min and max', `${bash}\nmin: 0\nmax: 2`, '', used({ times: { min: 0, max: 2 } })],
    ['a tool that may be called', `${bash}\nmin: 0`, '', used({ times: { min: 0 } })],
    ['a tool that may not be called', `${bash}\nmin: 0\nmax: 0`, '', unused({ name: 'Bash' })],
    ['input_match: on the JSON of the input', `${bash}\ninput_match: git push`, '', used({ input_json: 'git push' })],
    [
      'an input that may not be',
      `${bash}\ninput_match: git push\nmin: 0\nmax: 0`,
      '',
      unused({ name: 'Bash', input_json: 'git push' }),
    ],
    ['an order of tools', 'type: tool_order\nbefore: Read\nafter: Write', 'Only words.', order(['Read', 'Write'])],
    ['an order of calls with inputs', `${ordered}\narm: with-only`, '', order(calls, { indicator: true })],
    ['an order with the Skill tool', 'type: tool_order\nbefore: Skill\nafter: Write', '', check({ indicator: true })],
    ['an empty input_match', `${bash}\ninput_match: ''`, '', used({})],
    ['of the plugin arm alone', 'type: file_exists\npath: a\narm: with-only', '', check({ indicator: true })],
    ['the same, judged', 'type: llm\narm: with-only', 'x', { expectations: [{ text: 'x', indicator: true }] }],
  ])('%s', async (_, front, body, expected) => expect(await read(front, body)).toMatchObject(expected))
  test('tool_used of one call has no range of its own', async () => {
    const { checks } = await read('type: tool_used\ntool: Bash\nmin: 1')
    expect(checks).toEqual([{ type: 'tool_used', name: 'Bash', text: 'g' }])
  })

  test.each<[string, string, string]>([
    ['tool_used with more', 'type: tool_used\ntool: Bash\ncount: 2', 'its count is not known'],
    ['tool_used that no run meets', 'type: tool_used\ntool: Bash\nmax: 0', 'add min: 0'],
    ['tool_used with min above max', 'type: tool_used\ntool: Bash\nmin: 3\nmax: 2', 'min 3 is above its max 2'],
    ['tool_used with a star', "type: tool_used\ntool: 'mcp__*'", 'takes for a letter'],
    ['baseline', 'type: baseline\nbaseline_file: b', 'stored transcript'],
    ['one of weight 0', 'type: file_exists\npath: a\nweight: 0', 'counts nothing'],
    ['a regex over the trace', 'type: regex\npattern: a\ntarget: trace', 'their trace'],
    ['a regex that is counted', 'type: regex\npattern: a\nmatch: count:2', 'count:2'],
  ])('%s is named as not read', async (_, front, why) => {
    const { warnings, checks, expectations } = await read(front)
    expect([checks, expectations]).toEqual([[], []])
    expect(warnings[0]).toContain('sum/graders/g.md: a grader ')
    expect(warnings[0]).toContain(why)
    expect(warnings[1]).toContain('no criteria and no expected_outcome')
  })
  test.each<[string, string, string]>([
    ['tool_used without a tool', 'type: tool_used', 'names no tool'],
    ['a regex of an unknown match', 'type: regex\npattern: a\nmatch: not_contain', 'neither contains nor not_contains'],
    ['tool_used with a broken range', 'type: tool_used\ntool: Bash\nmin: -1', 'min'],
    ['tool_used with a broken pattern', "type: tool_used\ntool: Bash\ninput_match: '('", 'Unterminated group'],
    ['tool_order without after', 'type: tool_order\nbefore: Read', 'after must be the name of a tool'],
    ['with a misspelt field', 'type: tool_order\nbefore: A\nafter: { tool: B, input_mtach: x }', 'after must be the'],
    ['tool_order with a broken pattern', "type: tool_order\nbefore: A\nafter: { tool: B, input_match: '(' }", 'group'],
    ['a regex that is none', "type: regex\npattern: '('", 'Unterminated group'],
    ['an llm grader without words', 'type: llm', 'no criteria'],
    ['a file elsewhere', 'type: file_exists\npath: /etc/hostname', '/etc/hostname leads out of the working folder'],
    ['a file above', 'type: file_exists\npath: ../../x', '../../x leads out of the working folder'],
    ['no file where none is collected', 'type: file_exists\npath: .git/x\nexists: false', 'not collected'],
    ['a regex elsewhere', 'type: regex\npattern: a\ntarget: { source: file, path: /etc/x }', '/etc/x leads out'],
    ['a weight that is none', "type: file_exists\npath: a\nweight: '2'", 'its weight "2" is not a number above 0'],
    ['a misspelt field', 'type: regex\npattern: a\nmtach: not_contains', 'did you mean "match"?'],
  ])('%s keeps the case from running, other graders beside it', async (_, front, why) => {
    const { cannot_run } = await caseOf({ 'graders/g.md': `---\n${front}\n---\n`, ...llm })
    expect(cannot_run).toMatch(/^graders\/g\.md: a grader of type /)
    expect(cannot_run).toContain(why)
  })
  test('a case.yml keeps the case from running; a body beside criteria is named', async () => {
    expect((await caseOf({ 'case.yml': 'prompt: p\n', ...llm })).cannot_run).toBe(
      'case.yml is not read: name it case.yaml',
    )
    expect((await read('type: llm\ncriteria: c', 'More words')).warnings[0]).toContain('"body" of a grader is not read')
  })
  test('of a misspelt type keeps the case from running', async () => {
    const { cannot_run } = await caseOf({ 'graders/g.md': '---\ntype: file_exist\npath: a\n---\n', ...llm })
    expect(cannot_run).toBe('graders/g.md: a grader of type "file_exist" is not read: did you mean "file_exists"?')
  })
  test.each(['README.md', 'sum.yaml'])('the file %s is no grader, and is named', async (name) => {
    const { warnings, expectations } = await caseOf({ [`graders/${name}`]: 'How these grade.', ...llm })
    expect([warnings.length, expectations?.length]).toEqual([1, 1])
    expect(warnings[0]).toMatch(/the file is not read: it/)
  })
  test('of an unknown type keeps the case from running', async () => {
    expect((await read('type: vibes')).cannot_run).toContain('of type "vibes" is not read: known are regex, ')
  })
  test('of an unknown arm keeps the case from running', async () => {
    expect((await read('type: llm\narm: without-only', 'x')).cannot_run).toContain('is not both or with-only')
  })
  test('one without a type keeps the case from running, by its place', async () => {
    const { cannot_run } = await caseOf({ 'case.yaml': 'schema_version: "1.0"\ngraders: [{ name: n }, 5]', ...llm })
    const none = (at: number) => `case.yaml, graders[${at}]: a grader without a "type" is not read: known are regex, `
    for (const at of [0, 1]) expect(cannot_run).toContain(none(at))
  })
  test.each([
    ['type: llm', { expectations: [{ text: 'x', weight: 2.5 }], checks: [] }],
    ['type: file_exists\npath: a', { expectations: [], checks: [{ type: 'file_exists', path: 'a', weight: 2.5 }] }],
  ])('its weight counts: %s', async (front, expected) => {
    expect(await read(`${front}\nweight: 2.5`, 'x')).toMatchObject({ ...expected, warnings: [], cannot_run: null })
  })
  test('one of case.yaml without a name is called by its number, and those of files are read beside it', async () => {
    const yaml = 'schema_version: "1.0"\ngraders: [{ type: llm, criteria: c }, { type: file_exists, path: a }]'
    const { checks, expectations } = await caseOf({ 'case.yaml': yaml, ...llm })
    expect(checks).toMatchObject([{ text: 'grader 2' }])
    expect(expectations).toHaveLength(2)
  })
})

test('unknown fields are kept, and said unless they are notes; known ones are neither', async () => {
  const { metadata, warnings } = await caseOf({
    'case.yaml': 'schema_version: "1.0"\nname: n\ntags: [a]\nretries: { most: 3 }\nruns: 2\n',
    ...llm,
  })
  expect(metadata).toEqual({ tags: ['a'], retries: { most: 3 }, runs: 2 })
  expect(warnings).toEqual([
    'sum: "runs" of a case is not read: --runs sets it',
    'sum: "retries" of a case is not read',
  ])
  expect((await caseOf({ 'case.yaml': 'schema_version: "1.0"\nname: n\n', ...llm })).metadata).toBeUndefined()
})

test('check lists its problems with the folder of the case', async () => {
  const root = skillOf({ one: { 'prompt.md': '---\nname: n\n---\n', ...llm } })
  const found = (await checkSkill(root)).problems.find(({ rule }) => rule === 'prompt-empty')
  expect(found).toMatchObject({ file: path.join(root, 'evals/one'), at: null })
})

test.each([
  ['input-escapes', '../../../../etc/passwd'],
  ['input-missing', 'none.sh'],
])('check tells a scaffold as %s: %s', async (rule, script) => {
  const root = skillOf({ a: { 'prompt.md': `---\nscaffold_script: ${script}\n---\nAdd up.`, ...llm } })
  const rules = (await checkSkill(root)).problems.filter(({ severity }) => severity === 'error')
  expect(rules.map((each) => each.rule)).toEqual([rule])
})

describe('an expected outcome alone', () => {
  const outcome = '---\nexpected_outcome: The sum is 42.\n---\n\nAdd up.'
  const derived = [{ text: 'The outcome matches the expected output: The sum is 42.', derived: true }]
  const unread = { 'graders/g.md': grader('type: baseline\nbaseline_file: b') }
  test.each<[string, Record<string, string>, object[], RegExp[]]>([
    ['is one expectation', {}, derived, [/^sum: no criteria; one expectation is derived from expected_outcome$/]],
    ['is one where no grader is read', unread, derived, [/baseline is not read/, /derived from expected_outcome$/]],
    ['is none beside a grader', { 'graders/g.md': grader('type: llm', 'Kind.') }, [{ text: 'Kind.' }], []],
  ])('%s', async (_, files, expectations, warnings) => {
    const found = await caseOf({ 'prompt.md': outcome, ...files })
    expect(found).toMatchObject({ expected_output: 'The sum is 42.', expectations })
    expect(found.warnings).toEqual(warnings.map((form) => expect.stringMatching(form)))
  })
  test('nothing at all is said to be so', async () => {
    expect((await caseOf({})).warnings).toEqual(['sum: no criteria and no expected_outcome'])
  })
  test('check tells each of it once', async () => {
    const root = skillOf({ a: { 'prompt.md': 'Add up.' }, b: { 'prompt.md': outcome } })
    const rules = (await checkSkill(root)).problems.map(({ rule }) => rule)
    expect(rules.filter((rule) => rule.startsWith('criteria-') || rule === 'forgiven')).toEqual([
      'criteria-missing',
      'criteria-derived',
    ])
  })
})

describe('schema_version', () => {
  test.each<[string, string, string | null]>([
    ['is missing', 'name: n', 'is missing'],
    ['is unknown', 'schema_version: "9.0"', '"9.0" is unknown'],
    ['is a number', 'schema_version: 1.0', '1 is not text'],
    ['is known', 'schema_version: "1.0"', null],
    ['is a later one of the same', 'schema_version: "1.1"', null],
  ])('that %s', async (_, line, said) => {
    const { warnings } = await caseOf({ 'case.yaml': `${line}\ndescription: d`, ...llm })
    expect(warnings).toEqual(said === null ? [] : [expect.stringContaining(`sum/case.yaml: "schema_version" ${said}`)])
  })
  test('prompt.md may say it, and needs none alone', async () => {
    const said = { 'prompt.md': '---\nschema_version: "1.0"\n---\nx', 'case.yaml': 'name: n' }
    expect((await caseOf({ ...said, ...llm })).warnings).toEqual([])
    expect((await caseOf(llm)).warnings).toEqual([])
  })
  test('check warns of it', async () => {
    const root = skillOf({ a: { 'prompt.md': 'Add up.', 'case.yaml': 'name: n', ...llm } })
    const found = (await checkSkill(root)).problems.find(({ rule }) => rule === 'not-read')
    expect(found).toMatchObject({ severity: 'warning', at: 'a/case.yaml' })
  })
})

test('it is found before an EVAL.md, also after the formats of features are added again', async () => {
  addFeatures()
  const files = { 'SKILL.md': skillText, 'EVAL.md': '## a\n### Prompt\nx\n### Expect\ny\n' }
  const both = folderOf({ ...files, 'evals/sum/prompt.md': 'Add up.' })
  expect(await loadSuite(both)).toMatchObject({ format: 'plugin-eval' })
  expect(await loadSuite(folderOf(files))).toMatchObject({ format: 'eval.md' })
})

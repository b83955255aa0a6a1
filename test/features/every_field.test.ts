/** Each field of each format that is deleted, renamed, retyped or added: it is read, kept or named, and one that shapes a run never counts as absent. */
import { cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { stringify } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { UserError } from '../../src/base/errors/error.ts'
import { findSuites, loadSuites } from '../../src/phases/1-plan/suite/find_suites.ts'
import { folderOf, skillText } from '../phases/1-plan/folder.ts'

type Path = readonly (string | number)[]

interface Format {
  /** Of the table of formats. */
  format: string
  /** The file with the document, relative to the folder. */
  file: string
  document: unknown
  /** The folder below workspaces that holds the rest. */
  like?: string
  files?: Readonly<Record<string, string>>
  /** Absent: as JSON, which is YAML too. */
  write?: (document: unknown) => string
  /** Objects whose names are the author's own, and what is named as a whole. */
  free?: RegExp
  /** Fields whose absence says the same as their value here. */
  same?: RegExp
  /** Fields of another form are named, and what is left runs. */
  named?: RegExp
}

const frontmatter = (body: string) => (document: unknown) => `---\n${JSON.stringify(document)}\n---\n${body}`
const others = (document: unknown, more: Partial<Format> = {}): Format => ({
  format: 'others',
  file: 'evals/eval.yaml',
  document,
  ...more,
})

const formats: Readonly<Record<string, Format>> = {
  'evals.json': {
    format: 'evals.json',
    file: 'evals/evals.json',
    document: {
      skill_name: 'sums',
      setup: 'touch x',
      owner: 'ann',
      purpose: 'p',
      evals: [
        {
          id: 3,
          prompt: 'Add up.',
          expected_output: '2',
          files: ['evals/a.txt'],
          attach: ['evals/b.txt'],
          expectations: ['It adds', { text: 'Right', weight: 2, turn: 2, indicator: true }],
          checks: [
            { type: 'regex', pattern: '2', flags: 'i', absent: true, turn: 1, text: 'T', weight: 2 },
            { type: 'json_path', path: 'o.json', query: '$.a', equals: 2 },
            { type: 'command', run: 'true', timeout: 9, exit_code: 1, files: ['evals/a.txt'] },
          ],
          turns: ['And?', { prompt: 'More', expectations: ['Said'] }],
          timeout: 9,
          teardown: 'rm x',
          env: { A: 'b' },
          collect: ['/tmp/out/**'],
          git: true,
          reference: { answer: '2', files: { 'o.txt': 't' } },
          owners: ['bob'],
          quarantine: 'flaky',
          split: 'train',
          metadata: { a: 1 },
          notes: 'n',
          claims: ['c'],
        },
        {
          id: 4,
          prompt: 'Add.',
          assertions: [{ type: 'icontains', value: 'x', target: 'output' }],
          must_avoid: ['y'],
          must_have: ['w', { regex: 'v+' }],
          forbidden_regex: 'u',
          user: { goal: 'g', facts: ['f'], max_turns: 3 },

          rubric: { dimensions: [{ name: 'care', weight: 2, description: 'd' }] },
        },
      ],
    },
    free: /reference\.files$|\.(env|metadata)$/,
    same: /target$/,
    named: /^evals\.\d$/,
  },
  'a list': others(
    {
      skill: 'sums',
      cases: [
        { id: 'one', question: 'Add.', ground_truth: '2', expected_behavior: ['It adds'], notes: 'n' },
        { id: 'two', prompt: 'Add.', validators: [{ cmd: 'true', expect_exit_code: 1, label: 'L' }] },
      ],
    },
    { named: /^cases\.\d$/ },
  ),
  caliper: others(
    {
      skills: ['./SKILL.md'],
      tasks: [
        { name: 'one', prompt: 'Add.', expect: 'It adds.', setup: 'touch x', cleanup: 'rm x', activates: ['sums'] },
      ],
    },
    { free: /skills$|activates$/ },
  ),
  skillgrade: others(
    {
      version: '1',
      description: 'd',
      defaults: { agent: 'x', timeout: 9, docker: { base: 'b' } },
      tasks: [
        {
          name: 'one',
          instruction: 'Add up.',
          timeout: 7,
          solution: 's.sh',
          workspace: [{ src: 'a.txt', dest: 'in/a.txt', chmod: '+x' }],
          graders: [
            { type: 'deterministic', run: 'sh graders/x.sh', weight: 0.7, setup: 's' },
            { type: 'llm_rubric', rubric: 'It adds up.', weight: 0.3, model: 'm' },
          ],
        },
      ],
    },
    { free: /docker$/, same: /^defaults\.timeout$/ },
  ),
  Vally: others(
    {
      name: 'n',
      description: 'd',
      config: { runs: 3, timeout: '60s' },
      scoring: { threshold: 0.8 },
      environment: { files: [{ src: 'a.txt', dest: 'in/a.txt' }], skills: ['s'], commands: ['git init'] },
      stimuli: [
        {
          name: 'one',
          prompt: 'Add.',
          environment: { commands: ['touch x'] },
          tags: ['t'],
          timeout: '5s',
          constraints: { max_turns: 3 },
          graders: [
            { type: 'output-matches', name: 'n', weight: 2, config: { pattern: 'x', negate: true } },
            { type: 'output-contains', config: { substring: 'x', negate: true } },
            { type: 'file-exists', config: { path: 'o.txt' } },
            { type: 'wall-time', config: { max: '5s' } },
            { type: 'tool-calls', config: { required: ['Bash'], disallowed: ['Read', { name: 'x.*' }] } },
            { type: 'tool-call-count', config: { max: 3 } },
            { type: 'skill-invocation', config: { required: ['sums'], disallowed: ['t'] } },
          ],
        },
        {
          name: 'two',
          turns: ['a', 'b'],
          rubric: ['It adds.'],
          graders: [{ type: 'prompt', turn: 1, config: { prompt: 'p' } }],
        },
      ],
    },
    { free: /scoring$|constraints$|disallowed\.1$|skills$/ },
  ),
  'dotnet/skills': others(
    {
      config: { max_parallel: 2 },
      scenarios: [
        {
          name: 'one',
          prompt: 'Add.',
          assertions: [
            { type: 'output_contains', value: 'x' },
            { type: 'output_not_matches', pattern: 'y' },
            { type: 'file_exists', path: 'o.txt' },
            { type: 'file_contains', path: 'o.txt', value: 'z' },
          ],
          setup: {
            copy_test_files: true,
            files: [
              { path: 'in.txt', content: 'c' },
              { path: 'b.txt', source: 'b.txt' },
            ],
            commands: ['true'],
          },
          expect_activation: false,
          max_turns: 3,
        },
        {
          name: 'two',
          prompt: 'Add.',
          rubric: ['It adds.'],
          timeout: 5,
          expect_tools: ['Bash'],
          reject_tools: ['Read'],
        },
      ],
    },
    { free: /^config$/ },
  ),
  waza: others(
    {
      name: 'n',
      skill: 'sums',
      version: '1',
      inputs: { word: 'a', count: 2 },
      config: { trials_per_task: 3, timeout_seconds: 9, model: 'm' },
      metrics: [{ name: 'm', weight: 1 }],
      graders: [{ type: 'text', name: 'n', weight: 2, config: { not_contains: ['x'], regex_match: ['y'] } }],
      tasks: [
        {
          id: 'one',
          name: 'One',
          inputs: {
            prompt: 'Add {{.Vars.word}}.',
            files: [{ path: 'f', content: '{{.Vars.count}}' }],
            environment: { A: 'b' },
            context: { a: 1 },
          },
          expected: {
            output_contains: ['a'],
            output_not_contains: ['b'],
            behavior: { max_tool_calls: 3, required_tools: ['Bash'], max_tokens: 5 },
            should_trigger: true,
          },
        },
        {
          id: 'two',
          prompt: 'Add.',
          timeout_seconds: 4,
          expected: 'e',
          graders: [
            { type: 'behavior', config: { max_duration_ms: 3 } },
            { type: 'keyword', must_contain: ['a'] },
            { type: 'file', config: { must_exist: ['o'], content_patterns: [{ path: 'o', must_match: ['a'] }] } },
            { type: 'prompt', config: { prompt: 'p' } },
            { type: 'action_sequence', config: { expected_actions: ['Read'], matching_mode: 'exact_match' } },
          ],
        },
      ],
    },
    { free: /environment$|context$|metrics/, named: /expected$/ },
  ),
  promptfoo: others(
    {
      description: 'd',
      prompts: ['Say {{ word }}'],
      providers: ['x'],
      defaultTest: { assert: [{ type: 'llm-rubric', value: 'kind' }], vars: { tone: 'soft' }, options: { a: 1 } },
      tests: [
        {
          description: 'one',
          vars: { word: 'a' },
          assert: [
            { type: 'contains', value: '{{ word }}', weight: 2 },
            { type: 'regex', value: 'x', metric: 'm' },
            { type: 'contains', value: 'z', negate: true },
            { type: 'llm-rubric', value: 'kind too', threshold: 0.5 },
            { type: 'javascript', value: 'output.length > config.n', config: { n: 1 }, threshold: 0.5 },
          ],
        },
      ],
    },
    { free: /vars$|config$|options$|providers$/ },
  ),
  agentv: others(
    {
      name: 'n',
      execution: { target: 't' },
      evalcases: [
        {
          id: 'one',
          conversation_id: 'c',
          input: [
            { role: 'system', content: 's' },
            {
              role: 'user',
              content: [
                { type: 'text', value: 'Add.' },
                { type: 'file', value: 'a.txt' },
              ],
            },
          ],
          criteria: 'It adds.',
          expected_output: [{ role: 'assistant', content: '2' }],
          rubrics: ['r'],
        },
        {
          id: 'two',
          input: 'Add.',
          note: 'n',
          assert: ['It adds.', { type: 'contains', value: 'x' }, { name: 'j', type: 'llm_judge', prompt: 'p' }],
          turns: [{ input: 'More', assert: ['Said'] }],
        },
      ],
    },
    { free: /execution$/, same: /\.role$/ },
  ),
  'skill-up': {
    format: 'others',
    file: 'evals/eval.yaml',
    document: {
      id: 'one',
      title: 'T',
      input: {
        turns: [
          { role: 'user', content: 'a', post_condition: { must_contain_all: ['x'], on_fail: 'stop' } },
          { content: 'b' },
        ],
      },
      context: { repo_fixture: 'evals/graders', files: { 'in.txt': 'c' }, git: { init: true } },
      constraints: { timeout_seconds: 5, max_turns: 4 },
      expect: {
        must_contain: ['x'],
        must_not_contain: ['z'],
        files_exist: ['o'],
        file_contains: [{ path: 'o', content: 'c' }],
        exit_code: 0,
      },
      judges: [
        { type: 'agent_judge', criteria: ['It adds.'], model: 'm' },
        { type: 'script', script_path: 'evals/graders/x.sh', args: ['--strict'], timeout_seconds: 4 },
        {
          type: 'rule_based',
          success: [{ output_contains: { all: ['a'], any: ['b', 'c'] } }, { tool_called: { name: 'Bash' } }],
          failure: [{ output_contains: { any: ['d'] } }],
        },
      ],
    },
    free: /context\.files$/,
    same: /role$|judges\.\d\.type$/,
  },
  Tessl: {
    format: 'others',
    file: 'evals/one/criteria.json',
    files: { 'evals/one/task.md': 'Add up.' },
    document: {
      context: 'c',
      type: 'weighted_checklist',
      checklist: [{ name: 'sum', description: 'It adds.', max_score: 40 }],
    },
  },
  'plugin-eval': {
    format: 'plugin-eval',
    file: 'evals/two/case.yaml',
    files: { 'evals/two/scaffold.sh': 'true\n', 'evals/two/fixture/log.txt': 'x' },
    document: {
      schema_version: '1.0',
      name: 'Two',
      description: 'd',
      tags: ['t'],
      notes: 'n',
      expected_outcome: 'e',
      runs: 3,
      execution: { prompt: 'Add.', timeout_seconds: 9, max_turns: 5, append_system_prompt: 's', env: { A: 'b' } },
      context: {
        scaffold_script: 'scaffold.sh',
        add_dirs: ['fixture'],
        conversation_history: [{ role: 'user', content: 'Hi' }],
      },
      graders: [
        {
          name: 'r',
          type: 'regex',
          pattern: '2',
          flags: 'i',
          match: 'not_contains',
          weight: 2,
          target: { source: 'file', path: 'o' },
        },
        { name: 't', type: 'tool_used', tool: 'Bash', min: 2, max: 3, input_match: 'x', arm: 'with-only' },
        { name: 'f', type: 'file_exists', path: 'o', exists: false },
        { name: 'l', type: 'llm', criteria: 'c' },
        { name: 'o', type: 'tool_order', before: 'Read', after: { tool: 'Bash', input_match: 'x' } },
      ],
    },
    free: /env$/,
    same: /role$/,
    named: /name$/,
  },
  harbor: {
    format: 'harbor',
    file: 'count-words/task.toml',
    like: 'example-harbor',
    document: {
      version: '1.0',
      metadata: { difficulty: 'easy', category: 'text' },
      verifier: { timeout_sec: 60.5, env: { A: 'b' } },
      agent: { timeout_sec: 120.5 },
      environment: { build_timeout_sec: 60.5, cpus: 2, memory_mb: 1024, allow_internet: false, env: { B: 'c' } },
      solution: { env: { C: 'd' } },
    },
    write: (document) => stringify(Object(document)),
    free: /env$|metadata$/,
    same: /allow_internet$/,
  },
  aam: {
    format: 'aam',
    file: 'evals/cases/sum-of-april.yaml',
    like: 'example-aam',
    document: {
      name: 'sum-of-april',
      description: 'The skill adds up a ledger',
      target: 'skill:csv-sum',
      input: {
        prompt: 'Add up the column.',
        files: ['fixtures/april.csv'],
        'workspace-files': ['output/notes.txt'],
      },
      expected: { contains: ['125.50'], 'not-contains': ['ERROR'], 'files-created': ['output/total.txt'] },
      judge: { criteria: 'The answer names the total.' },
    },
  },
  'aam settings': {
    format: 'aam',
    file: 'evals/eval-config.json',
    like: 'example-aam',
    document: {
      version: 1,
      engine: 'claude-code',
      timeout: 120,
      sandbox: { network: false, 'writable-paths': ['open/', 'closed/', 'output/'] },
      env: { EVAL_MODE: 'true' },
    },
    free: /env$/,
    same: /timeout$|network$/,
  },
  golden: {
    format: 'golden',
    file: 'ledger/evals/golden/happy/001_rent.md',
    like: 'example-golden',
    document: {
      schema_version: 1,
      agent: 'ledger',
      category: 'happy',
      test_id: '001_rent',
      created: '2026-05-06',
      expected_facts: [{ claim: 'the rent', source: 'memory/rent_2026.md', expected_value: '1240.50' }],
    },
    write: frontmatter('\n# The rent\n\n## Input\n\nWhat?\n\n## Expected behavior\n\nIt says `1,240.50`.\n'),
    same: /^(schema_version|agent)$/,
  },
  'eval.md': {
    format: 'eval.md',
    file: 'EVAL.md',
    document: { model: 'anthropic:claude-sonnet-4-6', system: 'Be exact.', tools: ['SkillKit.Tools.Shell'] },
    write: frontmatter('## adds\n### Prompt\nAdd up.\n### Expect\nIt adds.\n'),
  },
}

const common = {
  'package.json': '{}',
  'SKILL.md': skillText,
  'evals/a.txt': 'a',
  'evals/b.txt': 'b',
  'evals/graders/x.sh': 'exit 0\n',
}

interface Outcome {
  /** What shapes a run or a verdict; null: refused. */
  shape: string | null
  /** The author's notes and names. */
  kept: string
  said: string
  allRun: boolean
}

/** Loads the document in one folder, again and again. */
async function openFormat({ format, file, like, document, files = {}, write = JSON.stringify }: Format) {
  const root = folderOf(like === undefined ? { ...common, ...files } : { 'package.json': '{}' })
  if (like !== undefined) cpSync(path.join(import.meta.dirname, '../../workspaces', like), root, { recursive: true })
  writeFileSync(path.join(root, file), write(document) ?? '')
  const found = await findSuites(root, format)
  return async (changed: unknown): Promise<Outcome> => {
    writeFileSync(path.join(root, file), write(changed) ?? '')
    try {
      const read = (await loadSuites(found)).map((one) => one.read)
      const refused = read.flatMap((one) => (one.status === 'rejected' ? [describeRefusal(one.reason)] : []))
      const suites = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      const cases = suites.flatMap((one) => one.cases)
      const shaping = suites.map(({ warnings: _, path: __, ...suite }) => ({
        ...suite,
        cases: suite.cases.map(
          ({ metadata: _m, eval_id: _i, eval_name: _n, eval_key: _k, owners: _o, split: _s, cannot_run: _c, ...one }) =>
            one,
        ),
      }))
      return {
        shape: refused.length > 0 ? null : JSON.stringify(shaping),
        kept: JSON.stringify(
          cases.map((one) => [one.metadata, one.eval_id, one.eval_name, one.eval_key, one.owners, one.split]),
        ),
        said: JSON.stringify([refused, suites.map((one) => one.warnings), cases.map((one) => one.cannot_run)]),
        allRun: refused.length === 0 && cases.length > 0 && cases.every((one) => one.cannot_run === null),
      }
    } catch (error) {
      return { shape: null, kept: '', said: describeRefusal(error), allRun: false }
    }
  }
}

/** Throws anything else than an error that a user can read. */
function describeRefusal(error: unknown): string {
  if (!(error instanceof UserError)) throw error
  return `${error.message} ${error.fix ?? ''}`
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The paths of all values below. */
function listPaths(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = [...at, Array.isArray(value) ? Number(key) : key]
    return [place, ...listPaths(inner, place)]
  })
}

/** The same with `change` applied to the entry there; it returns the entries that replace it. */
function replaceAt(
  value: unknown,
  [key, ...rest]: Path,
  change: (entry: [string, unknown]) => [string, unknown][],
): unknown {
  const entries = Object.entries(Object(value)).flatMap(([name, inner]): [string, unknown][] => {
    if (name !== String(key)) return [[name, inner]]
    return rest.length === 0 ? change([name, inner]) : [[name, replaceAt(inner, rest, change)]]
  })
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

function valueAt(value: unknown, place: Path): unknown {
  return place.reduce<unknown>((inner, key) => Object(inner)[key], value)
}

const kinds: readonly unknown[] = ['zqt', { zqx: 'zqt' }, 7.5, true, ['zqt']]

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value
}

/** Values of other kinds: two of them, and all in the nightly test. */
function listOtherKinds(value: unknown): unknown[] {
  const others = kinds.filter((one) => kindOf(one) !== kindOf(value))
  return process.env.WHETSTONE_MANY_RUNS === '1' ? others : others.slice(0, 2)
}

describe.each(Object.entries(formats))('%s', (_name, format) => {
  const { document, free = /^$/, same = /^$/, named = /^$/ } = format
  const isFree = (place: Path) => free.test(place.join('.'))
  const fields = listPaths(document).filter(
    (place) => !place.slice(0, -1).some((_, index) => isFree(place.slice(0, index + 1))),
  )
  const told = ({ said, kept, shape }: Outcome) => `${said}${kept}${shape}`

  test('no field is lost', async () => {
    const load = await openFormat(format)
    const base = await load(document)
    expect([base.said, base.allRun]).toEqual([base.said, true])
    const lost: string[] = []
    for (const place of fields) {
      const [name, key] = [place.join('.'), place.at(-1)]
      const deleted = await load(replaceAt(document, place, () => []))
      if (told(deleted) === told(base) && !same.test(name)) lost.push(`${name}: is read nowhere`)
      if (typeof key === 'string' && !same.test(name)) {
        const renamed = await load(replaceAt(document, place, ([, value]) => [[`zqx${key}`, value]]))
        if (renamed.allRun && !told(renamed).includes(`zqx${key}`)) lost.push(`${name}: zqx${key} is not named`)
      }
      if (isFree(place) || same.test(name)) continue
      for (const kind of listOtherKinds(valueAt(document, place))) {
        const retyped = await load(replaceAt(document, place, ([one]) => [[one, kind]]))
        const isShaping = deleted.shape !== base.shape && !named.test(name)
        const isAbsent = isShaping ? retyped.shape === deleted.shape : told(retyped) === told(deleted)
        if (isAbsent && retyped.allRun) lost.push(`${name}: ${JSON.stringify(kind)} counts as absent`)
      }
    }
    for (const place of [[], ...fields].filter((one) => isPlainObject(valueAt(document, one)) && !isFree(one))) {
      const entries = { ...Object(valueAt(document, place)), zqx: 'lost' }
      const added = await load(place.length === 0 ? entries : replaceAt(document, place, ([one]) => [[one, entries]]))
      if (added.allRun && !told(added).includes('zqx')) lost.push(`${place.join('.')}: zqx is not named`)
    }
    expect(lost).toEqual([])
  }, 120_000)
})

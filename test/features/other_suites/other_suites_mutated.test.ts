/** Suites of other tools that are cut, changed or full of odd values: no crash, and each case is in the suite or named. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { suite as suiteSchema } from '../../../schemas/suite.ts'
import { UserError } from '../../../src/base/errors/error.ts'
import { inspectSuite, loadSuite } from '../../../src/phases/1-plan/suite/load_suite.ts'
import { folderOf, propertyRuns, skillText } from '../../phases/1-plan/folder.ts'

/** One suite of each system, with what its readers look at. `list`: where its cases are. */
const suites: Record<string, { document: Record<string, unknown>; list: string }> = {
  skillgrade: {
    document: {
      version: '1',
      defaults: { agent: 'x', timeout: 9, docker: { base: 'b' } },
      tasks: [
        {
          name: 'one',
          instruction: 'Add up.',
          workspace: [{ src: 'a.txt', dest: 'in/a.txt' }],
          graders: [
            { type: 'deterministic', run: 'sh graders/x.sh', weight: 0.7 },
            { type: 'llm_rubric', rubric: 'It adds up.', weight: 0.3 },
          ],
        },
        { name: 'two', instruction: 'Add.', graders: [{ type: 'llm_rubric', rubric: 'r' }] },
      ],
    },
    list: 'tasks',
  },
  vally: {
    document: {
      defaults: { runs: 3, timeout: '60s' },
      stimuli: [
        { name: 'one', prompt: 'Add.', graders: [{ type: 'output-matches', name: 'n', config: { pattern: '(?i)x' } }] },
        {
          name: 'two',
          turns: ['a', 'b'],
          rubric: ['It adds.'],
          graders: [{ type: 'prompt', turn: 1, config: { prompt: 'p' } }],
        },
      ],
    },
    list: 'stimuli',
  },
  scenarios: {
    document: {
      scenarios: [
        {
          name: 'one',
          prompt: 'Add.',
          assertions: [{ type: 'output_contains', value: 'x' }],
          setup: { files: [{ path: 'in.txt', content: 'c' }], commands: ['true'] },
        },
        { name: 'two', prompt: 'Add.', rubric: ['It adds.'], timeout: 5, expect_tools: ['bash'] },
      ],
    },
    list: 'scenarios',
  },
  waza: {
    document: {
      skill: 'sums',
      graders: [{ type: 'text', name: 'n', config: { not_contains: ['x'] } }],
      tasks: [
        {
          id: 'one',
          inputs: { prompt: 'Add.', files: [{ path: 'f', content: 'c' }] },
          expected: { output_contains: ['a'] },
        },
        { id: 'two', prompt: 'Add.', graders: [{ type: 'behavior', config: { max_tool_calls: 3 } }] },
        { id: 'three', prompt: 'Add.', graders: [{ type: 'action_sequence', config: { expected_actions: ['Read'] } }] },
      ],
    },
    list: 'tasks',
  },
  promptfoo: {
    document: {
      prompts: ['Say {{ word }}'],
      providers: ['x'],
      defaultTest: { assert: [{ type: 'llm-rubric', value: 'kind' }] },
      tests: [
        { description: 'one', vars: { word: 'a' }, assert: [{ type: 'contains', value: '{{ word }}' }] },
        { description: 'two', vars: { word: ['b', 'c'] }, assert: [{ type: 'javascript', value: 'true' }] },
      ],
    },
    list: 'tests',
  },
  agentv: {
    document: {
      evalcases: [
        {
          id: 'one',
          input: [
            { role: 'system', content: 's' },
            { role: 'user', content: 'Add.' },
          ],
          criteria: 'It adds.',
        },
        { id: 'two', input: 'Add.', expected_output: '2', assert: ['It adds.', { type: 'script', command: ['x'] }] },
      ],
    },
    list: 'evalcases',
  },
  list: {
    document: {
      evals: [
        { id: 'one', prompt: 'Add.', must_include: ['2'] },
        { id: 'two', prompt: 'Add.', expectations: { short: 'It is short', right: 'It is right' } },
      ],
    },
    list: 'evals',
  },
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, Number.NaN, '', ' ', '\u202e\u0000x', '💥', [], {}, [null], [[1]], {
    a: { b: [] },
  }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.jsonValue({ maxDepth: 2 }),
)

type Path = (string | number)[]

function allPaths(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [
    at,
    ...Object.entries(value).flatMap(([key, inner]) =>
      allPaths(inner, [...at, Array.isArray(value) ? Number(key) : key]),
    ),
  ]
}

/** `change`: undefined removes the value. */
function changeAt(value: unknown, [key, ...rest]: Path, change: unknown): unknown {
  if (key === undefined) return change
  if (Array.isArray(value)) {
    const items = value.map((one, index) => (index === key ? changeAt(one, rest, change) : one))
    return rest.length === 0 && change === undefined ? items.filter((_, index) => index !== key) : items
  }
  const entries = Object.entries(Object(value)).map(([name, one]) => [
    name,
    name === key ? changeAt(one, rest, change) : one,
  ])
  return Object.fromEntries(entries.filter(([, one]) => one !== undefined))
}

/** Items of a list of cases that a warning names; one warning may stand for several. */
function countNamed(warnings: readonly { message: string }[]): number {
  const named = warnings.filter(({ message }) =>
    /^(?:the tests of|the tasks of|this scenario)|it is skipped/.test(message),
  )
  return named.reduce((sum, { message }) => sum + 1 + Number(/here and at (\d+) more/.exec(message)?.[1] ?? 0), 0)
}

const folder = (text: string) =>
  folderOf({ 'SKILL.md': skillText, 'evals/eval.yaml': text, 'evals/a.txt': 'a', 'evals/graders/x.sh': 'exit 0\n' })

/** null: refused with an error that a user can read. */
async function load(text: string) {
  try {
    return suiteSchema.parse(await loadSuite(`${folder(text)}/evals/eval.yaml`))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    expect(error.message.length).toBeGreaterThan(10)
    return null
  }
}

describe.each(Object.entries(suites))('%s', (_name, { document, list }) => {
  test('is read as it is: every case runs', async () => {
    const read = await load(stringify(document))
    expect(read?.cases.length).toBeGreaterThanOrEqual(2)
    expect(read?.cases.map(({ cannot_run }) => cannot_run)).toEqual(read?.cases.map(() => null))
    expect(read?.cases.every(({ expectations, checks }) => expectations.length + checks.length > 0)).toBe(true)
    expect((await inspectSuite(`${folder(stringify(document))}/evals/eval.yaml`)).places).toHaveLength(
      read?.cases.length ?? 0,
    )
  })
  test('with any value changed or removed, each item of its list is a case or is named', async () => {
    const paths = allPaths(document).filter((one) => one.length > 0)
    const change = fc.tuple(fc.constantFrom(...paths), fc.option(odd, { nil: undefined }))
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const mutated = changes.reduce<unknown>((value, [at, to]) => changeAt(value, at, to), document)
        const read = await load(stringify(mutated))
        const items: unknown = Object(mutated)[list]
        if (read === null || !Array.isArray(items)) return
        expect(read.cases.length + countNamed(read.warnings)).toBeGreaterThanOrEqual(items.length)
      }),
      propertyRuns(10, 200),
    )
  })
})

test.each<[string, Path, unknown, RegExp]>([
  ['vally', ['stimuli', 1, 'graders', 0, 'turn'], Number.MAX_SAFE_INTEGER, /\bturn\b/],
  ['scenarios', ['scenarios', 0, 'setup', 'files', 0, 'path'], 'a\u0000b', /not below the working folder/],
  ['skillgrade', ['tasks', 0, 'workspace', 0, 'dest'], 'a\u0000b', /not below the working folder/],
  ['waza', ['tasks', 0, 'inputs', 'files', 0, 'path'], '/abs', /not below the working folder/],
  ['waza', ['tasks', 0], '../*.yaml', /are not read: it leads out of the suite's folder/],
])('%s: a value at %j that no suite can have is named: %j', async (name, at, value, why) => {
  const read = await load(stringify(changeAt(suites[name]?.document, at, value)))
  const said = [
    ...(read?.warnings ?? []),
    ...(read?.cases ?? []).map(({ cannot_run }) => ({ message: cannot_run ?? '' })),
  ]
  expect(said.map(({ message }) => message).join('\n')).toMatch(why)
})

test('a file of no system is refused with what was looked for and the nearest', async () => {
  const place = `${folder('tests: 3\nname: x\n')}/evals/eval.yaml`
  const error = await loadSuite(place).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UserError)
  expect(error).toMatchObject({ message: expect.stringMatching(/Looked for: .*Vally.*skillgrade.*waza/) })
  expect(JSON.stringify(error)).toContain('nearest is promptfoo or agentv')
})

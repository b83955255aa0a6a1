/** `check` over many places, and the answers that no agent gave through the real grading. */
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkReport } from '../../../schemas/check_report.ts'
import { type CheckRequest, checkSkills } from '../../../src/features/check/check.ts'
import { contextAt } from '../../flows/eval/evaluate.ts'
import { judgeCommand } from '../../phases/3-judge/scene.ts'
import { folderOf } from '../../store/folder_of.ts'

const run = (request: Partial<CheckRequest>) =>
  checkSkills({ skills: [], trials: [], judge: null, ...request }, contextAt()).then((report) =>
    checkReport.parse(report),
  )

const skill = (name: string) => `---\nname: ${name}\ndescription: d\n---\n\nGo.\n`

describe('places', () => {
  const root = folderOf({
    'skills/one/SKILL.md': skill('one'),
    'skills/two/SKILL.md': skill('two'),
    'skills/broken/SKILL.md': 'no frontmatter',
    'skills/notes/readme.txt': '',
    'skills/one/evals/evals.json': '{',
    'skills/package.json': '{ "name": "skills" }',
    'skills/old/evals.json': '{',
  })
  const at = (...names: string[]) => names.map((name) => path.join(root, 'skills', name))
  test.each<[string, string[], string[]]>([
    ['a glob gives the skills it matches', ['skills/*'], ['broken', 'one', 'two']],
    [
      'a glob passes plain files over, and takes suites',
      ['skills/{*.json,one,*/evals.json}'],
      ['old/evals.json', 'one'],
    ],
    ['a folder without SKILL.md gives those below it', ['skills'], ['broken', 'one', 'two']],
    ['the same place twice counts once', ['skills/one', 'skills/o*'], ['one']],
    ['a skill and its SKILL.md are one', ['skills/one', 'skills/one/SKILL.md'], ['one']],
    ['a plain file alone is named', ['skills/notes/readme.txt'], ['notes/readme.txt']],
    ['a glob without a match is named', ['skills/z*'], ['z*']],
  ])('%s', async (_, given, expected) => {
    const { skills } = await run({ skills: given.map((name) => path.join(root, name)) })
    expect(skills.map((one) => one.path)).toEqual(at(...expected))
  })
  test('what was passed over is in the report', async () => {
    const [one = '', readme = ''] = at('one', 'notes/readme.txt')
    expect((await run({ skills: [one, readme] })).passed_over).toMatchObject([{ path: readme }])
    expect((await run({ skills: [one] })).passed_over).toBeUndefined()
  })
  test('a folder with a suite and no SKILL.md, and a suite that is broken, are no sound places', async () => {
    const root = folderOf({
      'SKILL.md': skill('above'),
      'bare/evals/evals.json': JSON.stringify({ evals: [{ id: 1, prompt: 'Add up', expectations: ['Says 42'] }] }),
      'broken.json': '{ "evals": [',
      'empty.json': '{"evals":[]}',
      'package.json': '{"name":"x"}',
    })
    const given = ['bare', 'broken.json', 'empty.json', 'package.json'].map((name) => path.join(root, name))
    const { skills, passed_over = [] } = await run({ skills: given })
    expect(skills.map(({ path: place, readable }) => [path.basename(place), readable])).toEqual([
      ['bare', false],
      ['broken.json', false],
      ['empty.json', false],
    ])
    expect(passed_over.map(({ path: place }) => path.basename(place))).toEqual(['package.json'])
  })
})

describe('answers that no agent gave', () => {
  const contains = { type: 'contains', value: '42' }
  const exists = { type: 'file_exists', path: 'out/a.md' }
  const lacks = { type: 'not_contains', value: '41' }
  const command = { type: 'command', run: 'test "$(cat start.txt)-$(cat out/a.md)" = s-42' }
  const used = { type: 'tool_used', name: 'Bash' }

  const found = async (one: object, request: Partial<CheckRequest>) => {
    const files = {
      'sums/SKILL.md': skill('sums'),
      'sums/start.txt': 's',
      'sums/evals/bin/gh.yaml': '- args: "*"\n',
      'sums/evals/evals.json': JSON.stringify({ skill_name: 'sums', evals: [{ id: 1, prompt: 'p', ...one }] }),
    }
    const { skills } = await run({ skills: [path.join(folderOf(files), 'sums')], ...request })
    return skills.flatMap(({ problems }) => problems.filter(({ rule }) => rule !== 'suite-small'))
  }
  const ids = async (one: object, request: Partial<CheckRequest>) => (await found(one, request)).map(({ rule }) => rule)

  test.each<[string, object, string[]]>([
    ['fails what it has to say', { checks: [contains] }, []],
    ['fails a command', { files: ['start.txt'], checks: [command] }, []],
    ['passes what it must not say', { checks: [lacks] }, ['null-passes']],
    ['fails one of two', { checks: [lacks, contains] }, []],
    [
      'passes the checks, the rest is open',
      { checks: [lacks], expectations: ['e'] },
      ['null-passes-checks', 'not-decided'],
    ],
    ['used no tool and read no skill', { checks: [used, { type: 'skill_read' }] }, []],
    ['fails an indicator alone', { checks: [lacks, { type: 'skill_read' }] }, ['null-passes']],
    [
      'passes an indicator, the rest is open',
      { checks: [{ ...lacks, indicator: true }], expectations: ['e'] },
      ['not-decided'],
    ],
    [
      'took nothing',
      {
        checks: [
          { type: 'cost_at_most', value: 0.01 },
          { type: 'turns_at_most', value: 3 },
        ],
      },
      ['null-passes'],
    ],
    ['leaves what was given', { files: ['start.txt'], checks: [{ type: 'file_absent', path: 'start.txt' }] }, []],
  ])('the empty one %s', async (_, one, expected) => expect(await ids(one, { trials: ['null'] })).toEqual(expected))

  const reference = { answer: 'It is 42', files: { 'out/a.md': '42' } }
  test.each<[string, object, string[]]>([
    ['is not there', { checks: [contains] }, ['reference-missing']],
    ['passes', { reference, files: ['start.txt'], checks: [contains, exists, command] }, []],
    ['fails its answer', { reference: { ...reference, answer: '43' }, checks: [contains] }, ['oracle-fails']],
    ['fails its files', { reference: { answer: '42' }, checks: [contains, exists] }, ['oracle-fails']],
    ['has no tools', { reference, checks: [contains, used] }, ['not-decided']],
  ])('the reference %s', async (_, one, expected) => expect(await ids(one, { trials: ['oracle'] })).toEqual(expected))

  const changed = { type: 'file_modified', path: 'start.txt' }
  const made = { type: 'file_exists', path: 'start.txt' }
  const laid = { setup: 'mkdir -p in && printf s > in/a.txt && ln -s ../start.txt in/link' }
  const leaves = (name: string, text: string) => ({ reference: { answer: 'done', files: { [name]: text } } })
  test.each<[string, object, string[]]>([
    ['changes an input', { ...leaves('start.txt', 't'), checks: [changed, made] }, []],
    ['leaves an input', { ...leaves('start.txt', 's'), checks: [changed, made] }, ['oracle-fails', 'oracle-fails']],
    ['makes another file', { ...leaves('b.txt', 's'), checks: [{ ...changed, path: 'b.txt' }] }, ['oracle-fails']],
    ['changes what setup made', { ...laid, ...leaves('in/a.txt', 't'), checks: [{ ...changed, path: 'in/*' }] }, []],
  ])('a reference that %s', async (_, one, expected) =>
    expect(await ids({ files: ['start.txt'], ...one }, { trials: ['oracle'] })).toEqual(expected),
  )

  test('a link that setup made leads no file of a reference out of the folder', async () => {
    const outside = folderOf({ 'mine.txt': 'mine' })
    const setup = `ln -s ${outside}/mine.txt x; ln -s ${outside} y`
    const files = { x: 'theirs', 'y/new.txt': 'theirs' }
    const looks = { type: 'command', run: 'cat x y/new.txt && test ! -L x && test ! -L y' }
    expect(await ids({ setup, reference: { files }, checks: [looks] }, { trials: ['oracle'] })).toEqual([])
    expect(readdirSync(outside)).toEqual(['mine.txt'])
    expect(readFileSync(path.join(outside, 'mine.txt'), 'utf8')).toBe('mine')
  })

  test('a failing reference is named with case, criterion and evidence', async () => {
    const [first] = await found({ name: 'n', reference: { answer: '43' }, checks: [contains] }, { trials: ['oracle'] })
    expect(first).toMatchObject({
      at: '$.evals[0]',
      message: expect.stringMatching(/^case 1 \(n\): the reference fails ".*42.*": \S/),
    })
  })
  const said = async (one: object, request: Partial<CheckRequest>) =>
    (await found(one, request)).map(({ rule, message, fix }) => [rule, message.replace(/^case 1 \(\w+\): /, ''), fix])
  const broken = { setup: 'echo no such tool >&2; exit 3' }
  const stopped = [
    'start-fails',
    'nothing was tried, its start fails: sh -c echo no such tool >&2; exit 3: exit 3: no such tool',
    'fix it: no run of this case would start',
  ]
  const asked = 'name a judge with --judge'
  const outcome = 'add a criterion of the outcome'
  test.each<[string, object, string | null, string[][]]>([
    ['a setup that fails', { ...broken, checks: [command] }, null, [stopped]],
    [
      'no judge, and one of the conduct',
      { reference, checks: [used], expectations: ['e'] },
      null,
      [
        [
          'not-decided',
          '2 of its criteria not decided on the reference (no judge was given; they look at how the agent worked)',
          `${asked}; ${outcome}`,
        ],
      ],
    ],
    [
      'a program that is not there',
      { reference, checks: [{ type: 'command', run: 'no-such-program-here' }] },
      null,
      [
        [
          'not-decided',
          '1 of its criteria not decided on the reference (the command could not be started: no-such-program-here is not installed here)',
          'fix the reason why they are not decided',
        ],
      ],
    ],
  ])('%s is told as what it is', async (_, one, judge, expected) =>
    expect(await said(one, { trials: ['oracle'], judge })).toEqual(expected),
  )
  test('a start that fails is told once for both answers', async () => {
    expect(await ids({ ...broken, reference, checks: [lacks] }, { trials: ['null', 'oracle'] })).toEqual([
      'start-fails',
    ])
  })
  test('a suite that would be refused is not graded', async () => {
    expect(await ids({ checks: [{ type: 'x' }] }, { trials: ['null', 'oracle'] })).toEqual(['own-field'])
  })
  test('nothing is left behind', async () => {
    const rooms = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`whetstone-${process.pid}.`))
    const before = rooms()
    await ids({ checks: [lacks] }, { trials: ['null'] })
    expect(rooms().filter((name) => !before.includes(name))).toEqual([])
  })

  const judge = `command:${judgeCommand('reader')}`
  const says = { expectations: ['outputs/out/a.md says 42'] }
  test.each<[string, object, string[]]>([
    ['decides the empty answer', says, []],
    ['decides the reference', { ...says, reference }, []],
    ['fails a wrong reference', { ...says, reference: { files: { 'out/a.md': '43' } } }, ['oracle-fails']],
  ])('a judge %s', async (_, one, expected) => {
    const rules = await ids(one, { trials: ['null', 'oracle'], judge })
    expect(rules.filter((id) => id !== 'reference-missing')).toEqual(expected)
  })
})

describe('an AAM package', () => {
  const one = {
    'package.agent.json': '{"name":"p"}',
    'evals/eval-config.json': '{"version":1,"engine":"claude-code"}',
    'evals/cases/a.yaml': 'name: a\ninput: { prompt: x }\njudge: { criteria: y }\ntargt: z\n',
  }
  const tidy = { 'skills/tidy/SKILL.md': skill('tidy') }
  const { 'package.agent.json': _, ...others } = one
  const suite = ['evals/eval-config.json', true, ['field-misspelt']]
  test.each<[string, Record<string, string>, unknown[]]>([
    ['its suite and its skills', { ...one, ...tidy }, [suite, ['skills/tidy', true, []]]],
    ['a config of something else', { ...others, ...tidy }, [['skills/tidy', true, ['suite-missing']]]],
  ])('%s', async (_what, files, places) => {
    const root = folderOf(files)
    const { skills } = await run({ skills: [root] })
    const found = skills.map(({ path: place, readable, problems }) => [
      path.relative(root, place),
      readable,
      problems.map(({ rule }) => rule),
    ])
    expect(found).toEqual(places)
  })
})

describe('a plugin', () => {
  const cases = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].flatMap((name) => [
      [`evals/${name}/prompt.md`, `Tidy up the ${name} of it.`],
      [`evals/${name}/graders/says.md`, '---\ntype: regex\n---\n\nTIDY\n'],
    ]),
  )
  const one = { ...cases, '.claude-plugin/plugin.json': '{}', 'skills/tidy/SKILL.md': skill('tidy') }
  const two = { ...one, 'skills/sweep/SKILL.md': skill('sweep') }
  const broken = { 'evals/a/graders/says.md': '---\ntype: vibes\n---\n' }
  const rules = ({ problems }: { problems: readonly { rule: string }[] }) => problems.map(({ rule }) => rule)

  const foundIn = async (files: Record<string, string>, given: string, suite?: string) => {
    const root = folderOf(files)
    const at = (name: string) => path.join(root, name)
    const { skills, counts } = await run({ skills: [at(given)], ...(suite !== undefined && { suite: at(suite) }) })
    const places = skills.map((found) => [path.relative(root, found.path), found.readable, rules(found)])
    return { places, counts }
  }
  test.each<[string, Record<string, string>, string, string | undefined, [string, boolean, string[]][]]>([
    ['its one skill is checked with its suite', one, '', undefined, [['skills/tidy', true, []]]],
    [
      'its skills, and its suite once',
      two,
      '',
      undefined,
      [
        ['evals', true, []],
        ['skills/sweep', true, []],
        ['skills/tidy', true, []],
      ],
    ],
    ['its evals folder', one, 'evals', undefined, [['evals', true, []]]],
    [
      'all skills below with --suite',
      two,
      'skills',
      '.',
      [
        ['skills/sweep', true, []],
        ['skills/tidy', true, []],
      ],
    ],
    ['no such suite', one, 'skills/tidy', 'gone', [['skills/tidy', false, ['suite-unreadable']]]],
    ['a suite file with --suite', one, 'evals/a/prompt.md', '.', [['evals/a/prompt.md', false, ['skill-unreadable']]]],
    [
      'what is wrong with its suite',
      { ...one, ...broken },
      '',
      undefined,
      [['skills/tidy', true, expect.arrayContaining(['criteria-missing'])]],
    ],
    [
      'a suite of the skill itself is checked beside it',
      { ...one, 'skills/tidy/evals/evals.json': '{' },
      '',
      undefined,
      [
        ['evals', true, []],
        ['skills/tidy', false, ['suite-unreadable']],
      ],
    ],
  ])('%s', async (_, files, given, suite, places) => {
    expect((await foundIn(files, given, suite)).places).toEqual(places)
  })
})

test('a folder without skills gives the suites below it; with none of them it is no skill', async () => {
  const root = folderOf({
    'src/add.ts': 'export const add = 1\n',
    'src/add.EVAL.md': '## adds\n### Prompt\nAdd\n### Expect\nIt adds.\n',
    'src/deep/x.eval.md': '## lacks\n### Prompt\nAdd\n',
    'bot/AGENT.md': '---\nname: bot\n---\nYou are Bot.\n',
    'bot/EVAL.md': '## speaks\n### Prompt\nHi\n### Expect\nIt speaks.\n',
    'empty/readme.txt': '',
  })
  const found = async (folder: string) => {
    const { skills } = await run({ skills: [path.join(root, folder)] })
    return skills.map(({ path: at, problems }) => [
      path.relative(root, at),
      problems.filter(({ severity }) => severity === 'error').map(({ rule }) => rule),
    ])
  }
  expect(await found('src')).toEqual([
    ['src/add.EVAL.md', []],
    ['src/deep/x.eval.md', ['suite-ungraded', 'case-cannot-run', 'criteria-missing']],
  ])
  expect(await found('bot')).toEqual([['bot/EVAL.md', []]])
  expect(await found('empty')).toEqual([['empty', ['skill-unreadable']]])
})

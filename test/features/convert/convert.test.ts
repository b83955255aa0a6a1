/** convert: the same cases as evals.json, and what of the suite does not carry over. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { convert } from '../../../src/features/convert/convert.ts'
import { listLosses } from '../../../src/features/convert/harbor/losses.ts'
import { planVerifier } from '../../../src/features/convert/harbor/verifier_spec.ts'
import { toEvalsJson } from '../../../src/features/convert/to_evals_json.ts'
import { loadSuite } from '../../../src/phases/1-plan/suite/load_suite.ts'
import { checkText } from '../../../src/phases/3-judge/checks/check_text.ts'
import { runMain } from '../../cli/run_main.ts'
import { makeSkill } from '../../e2e/program.ts'
import { folderOf, loadEvals, skillWith, userError } from '../../phases/1-plan/folder.ts'

const skill = '---\nname: greeter\ndescription: Greets.\n---\nGreet.\n'
const evalMd =
  '---\nmodel: "anthropic:claude-x"\nsystem: Be kind.\n---\n## a\n### Prompt\nHi\n### Expect\nIt greets.\n## b\n### Prompt\nYo\n'

describe('an EVAL.md', () => {
  test('becomes the evals.json of its skill, and what is lost is said', async () => {
    const folder = folderOf({ 'SKILL.md': skill, 'EVAL.md': evalMd })
    const end = await runMain(['convert', path.join(folder, 'EVAL.md')])
    expect(end, end.stderr).toMatchObject({ code: 0 })
    const file = JSON.parse(readFileSync(path.join(folder, 'evals/evals.json'), 'utf8'))
    expect(file).toEqual({
      skill_name: 'greeter',
      evals: [
        { id: 1, name: 'a', prompt: 'Hi', expectations: ['It greets.'] },
        { id: 2, name: 'b', prompt: 'Yo' },
      ],
    })
    for (const lost of ['the model anthropic:claude-x', 'the system prompt: a, b', "the format's own judge"])
      expect(end.stderr).toContain(`does not carry over: ${lost}`)
    const suite = await loadSuite(folder)
    expect([suite.format, suite.cases.map(({ prompt }) => prompt)]).toEqual(['evals.json', ['Hi', 'Yo']])
  })
  test('a file that is there stays, unless --force', async () => {
    const folder = folderOf({ 'SKILL.md': skill, 'EVAL.md': evalMd, 'evals/evals.json': '{}' })
    const again = (...flags: string[]) => runMain(['convert', path.join(folder, 'EVAL.md'), ...flags])
    expect(await again()).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists') })
    expect(readFileSync(path.join(folder, 'evals/evals.json'), 'utf8')).toBe('{}')
    expect(await again('--force')).toMatchObject({ code: 0 })
  })
  test.each<[string, string | null, string]>([
    ['EVAL.md', null, 'belongs to the suite itself'],
    ['SKILL.md', null, 'belongs to the suite itself'],
    ['evals', 'evals/x.md', 'evals is not a file'],
  ])('-o %s is refused with --force too', async (output, made, said) => {
    const folder = folderOf({ 'SKILL.md': skill, 'EVAL.md': evalMd, ...(made && { [made]: '' }) })
    const wish = { format: null, to: 'skill-creator' as const, force: true }
    const { message, fix } = await userError(
      convert({ ...wish, path: path.join(folder, 'EVAL.md'), output: path.join(folder, output) }),
    )
    expect([message, fix]).toEqual([expect.stringContaining(said), 'choose another with -o'])
    expect(readFileSync(path.join(folder, 'EVAL.md'), 'utf8')).toBe(evalMd)
  })
  test('about an agent is refused', async () => {
    const folder = folderOf({ 'AGENT.md': '---\nname: neve\n---\nNeve.', 'EVAL.md': evalMd })
    const end = await runMain(['convert', path.join(folder, 'EVAL.md')])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('agent:neve') })
    expect(existsSync(path.join(folder, 'evals'))).toBe(false)
  })
})

describe('an AAM package', () => {
  const about = (name: string, target: string) =>
    `name: ${name}\ndescription: Why.\ntarget: ${target}\ninput: { prompt: Go., files: [fixtures/a.csv] }\nexpected: { contains: [x] }\njudge: { criteria: Done. }\n`
  const files = {
    'package.agent.json': '{"name":"p","version":"1.0.0"}',
    'skills/greeter/SKILL.md': skill,
    'hooks/hooks.json': '{"hooks":{"stop":[{"hooks":[{"type":"command","command":"true"}]}]}}',
    'rules/tidy/RULE.md': 'Be tidy.',
    'agents/a/agent.yaml': 'name: a\ndescription: d\n',
    'agents/a/system-prompt.md': 'You are A.',
    'evals/eval-config.json': '{"version":1,"engine":"codex","judge":"gpt-5","env":{"MODE":"x"}}',
    'evals/fixtures/a.csv': 'a',
    'evals/cases/one.yaml': about('one', 'skill:greeter'),
    'evals/cases/two.yaml': about('two', 'hook:stop'),
  }
  test('about one skill becomes its evals.json, without what would do something else there; each loss is said', async () => {
    const folder = folderOf(files)
    const place = path.join(folder, 'evals/eval-config.json')
    const { file, lost } = await convert({ path: place, format: null, to: 'skill-creator', output: null, force: false })
    expect(file).toBe(path.join(folder, 'skills/greeter/evals/evals.json'))
    expect(JSON.parse(readFileSync(file ?? '', 'utf8'))).toEqual({
      skill_name: 'greeter',
      sandbox: { network: 'none' },
      evals: [
        {
          ...{ id: 1, eval_key: 'one', name: 'one', prompt: 'Go.', expectations: ['Done.'], env: { MODE: 'x' } },
          checks: [{ type: 'contains', value: 'x' }],
        },
      ],
    })
    expect(lost).toEqual([
      'the engine codex: give --engine',
      'the judge gpt-5: give --judge',
      'the time of 120 s for a case: give --timeout',
      'no judge after a failed check',
      'metadata (description): one',
      expect.stringMatching(/^input files that are not below .*a\.csv\): one$/),
      'sub-agents: one',
      'files created in the working folder: one',
      expect.stringMatching(/^rules outside of the skill's folder/),
      expect.stringMatching(/^hooks and MCP servers: not all of their files are below/),
      'cases about hook:stop: two',
    ])
  })
})

describe('an evals.json', () => {
  const evals = [
    {
      ...{ id: 4, name: 'all', prompt: 'Do', expected_output: 'done' },
      expectations: ['It is done.', { text: 'The skill is named.', indicator: true }],
      ...{ files: ['evals/files/a.txt'], timeout: 9, setup: 'true', git: true, reference: { answer: 'x' } },
      checks: [{ type: 'contains', value: 'x' }],
      rubric: { dimensions: [{ name: 'care', weight: 1 }], threshold: 3 },
      environment: { files: ['evals/run.sh'], rules: ['evals/rule.md'] },
    },
  ]
  const converted = async (...flags: string[]) => {
    const folder = makeSkill(evals, { 'evals/files/a.txt': 'a', 'evals/rule.md': 'Be kind.', 'evals/run.sh': '' })
    const end = await runMain(['convert', path.join(folder, 'evals/evals.json'), '-o', '-', ...flags])
    return { end, file: end.code === 0 ? JSON.parse(end.stdout) : null }
  }
  test('every field of ours carries over', async () => {
    const { end, file } = await converted()
    expect(file?.evals, end.stderr).toEqual(evals)
    expect(end.stderr).not.toContain('does not carry over')
  })
  test('in the other dialect has assertions, each a text', async () => {
    const { end, file } = await converted('--to', 'agentskills')
    expect(file.evals[0]).toMatchObject({ assertions: ['It is done.', 'The skill is named.'] })
    expect(end.stderr).toContain('does not carry over: that a statement is an indicator, so that it counts now: all')
    expect(file.evals[0]).not.toHaveProperty('expectations')
  })
})

describe('a conversation', () => {
  const talk = {
    id: 1,
    name: 'talk',
    prompt: 'Make a report',
    turns: ['Now shorten it', { prompt: 'And EUR', deliver_when: 'agent_asks', agent_response_matches: 'EUR' }],
    end_when: { agent_response_matches: 'Done' },
    expectations: [{ text: 'It asks', turn: 1 }, 'It is right'],
    checks: [{ type: 'contains', value: 'x', turn: 2 }],
  }
  const played = {
    id: 2,
    name: 'play',
    prompt: 'Make a report',
    user: { goal: 'g', facts: ['f'] },
    expectations: ['e'],
  }
  const skill = { name: 'sums', description: '', path: '/', sha256: '' }
  test('keeps a conversation', async () => {
    const { file, lost } = toEvalsJson(
      await loadEvals({ skill_name: 'sums', evals: [talk, played] }),
      skill,
      'expectations',
    )
    expect(file.evals).toEqual([talk, played])
    expect(lost).toEqual([])
  })
  test('says what the dialect of agentskills.io cannot say', async () => {
    const { file, lost } = toEvalsJson(await loadEvals({ skill_name: 'sums', evals: [talk] }), skill, 'assertions')
    expect(file.evals).toMatchObject([{ turns: talk.turns, assertions: ['It asks', 'It is right'] }])
    expect(lost).toEqual([
      'which message a statement is about, so that it is about the whole run: talk',
      'further messages of the user, in tools other than Whetstone: talk',
    ])
  })
  test('says what a Harbor task lacks', async () => {
    const { cases } = await loadEvals({ skill_name: 'sums', evals: [talk, played] })
    const said = cases.flatMap((one) =>
      listLosses(one, {}, planVerifier(one, { taken: [], sentence: checkText, programs: new Map() })),
    )
    expect(said).toContain('further messages of the user: the task has only the first one')
    expect(said).toContain('what ends the conversation')
    expect(said).toContain('the simulated user: the task has only the first message')
  })
})

test('evals.json gets attached files back', async () => {
  const load = async (more: object) => {
    const evals = [{ id: 1, prompt: 'p', expectations: ['e'], ...more }]
    const root = skillWith({ skill_name: 'sums', evals }, { 'files/chart.png': 'x', 'files/a.csv': '1' })
    return { root, suite: await loadSuite(root) }
  }
  const { root, suite } = await load({ attach: ['files/chart.png'], files: ['files/a.csv'] })
  const { file, lost } = toEvalsJson(suite, { name: 'sums', description: 'd', path: root, sha256: 's' }, 'expectations')
  expect(lost).toEqual([])
  const [one] = file.evals
  expect(one).toMatchObject({ attach: ['files/chart.png'], files: ['files/a.csv', 'files/chart.png'] })
  expect((await load({ ...one })).suite.cases[0]?.attach).toEqual(suite.cases[0]?.attach)
})

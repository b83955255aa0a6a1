/** EVAL.md and golden tests: each documented field changed alone. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Suite } from '../../../../schemas/suite.ts'
import { findSuites } from '../../../../src/phases/1-plan/suite/find_suites.ts'
import { folderOf } from '../folder.ts'

type Files = Record<string, string>
const loaded = async (files: Files): Promise<Suite> => {
  const folder = folderOf(files)
  const [found] = await findSuites(folder, null)
  if (found === undefined) throw new Error('no suite')
  return JSON.parse(JSON.stringify(await found.load()).replaceAll(folder, '<folder>'))
}

/** What differs, as `a.b` paths; the suite's own text hash is none. */
async function differs(base: Files, file: string, change: readonly [old: string, text: string]): Promise<string[]> {
  const before = base[file] ?? ''
  expect(before).toContain(change[0])
  const one = await loaded(base)
  const two = await loaded({ ...base, [file]: before.replace(change[0], change[1]) })
  return diff(one, two, '')
}

function diff(one: unknown, two: unknown, at: string): string[] {
  if (JSON.stringify(one) === JSON.stringify(two)) return []
  const isBoth = [one, two].every((value) => typeof value === 'object' && value !== null)
  if (!isBoth) return [at]
  const [left, right] = [new Map(Object.entries(Object(one))), new Map(Object.entries(Object(two)))]
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((key) =>
    diff(left.get(key), right.get(key), at === '' ? key : `${at}.${key}`),
  )
}

const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo.\n`
const evalMd: Files = {
  'package.json': '{}',
  'evals/x.eval.md':
    '---\nskills: skills/a\ntools: SkillKit.Tools.Shell\nmodel: "anthropic:m"\nsystem: Be kind.\nmetadata: { owner: sam }\nmodule: MyApp.X\n---\n## one\n### Prompt\nHi\n### Expect\nIt greets.\n',
  'skills/a/SKILL.md': skill('a'),
  'skills/b/SKILL.md': skill('b'),
  'agents/neve/AGENT.md': '---\nname: neve\nmodel: "openai:n"\n---\nYou are Neve.\n',
  'agents/neve/helper/AGENT.md': '---\nname: helper\ndescription: Helps.\n---\nHelp.\n',
  'agents/neve/agents/critic.md': '---\nname: critic\ndescription: Reads.\n---\nRead.\n',
  'agents/neve/skills/c/SKILL.md': skill('c'),
}

describe('EVAL.md, field by field', () => {
  test.each([
    ['skills', ['skills/a', 'skills/b'], 'cases.0.skill_path'],
    ['several skills', ['skills: skills/a', 'skills: [skills/a, skills/b]'], 'cases.0.environment.skills'],
    ['a skill that is not there', ['skills/a', 'skills/z'], 'cases.0.cannot_run'],
    ['a skill out of the project', ['skills/a', '../../..'], 'cases.0.cannot_run'],
    ['a skill that is a module', ['skills/a', 'MyApp.Skill'], 'cases.0.cannot_run'],
    ['tools', ['tools: SkillKit.Tools.Shell\n', ''], 'cases.0.environment.tools'],
    ['a tool that is not here', ['Tools.Shell', 'Tools.SendMessage'], 'cases.0.cannot_run'],
    ['a tool among the skills', ['skills/a', 'SkillKit.Tools.Webhook'], 'cases.0.cannot_run'],
    ['model', ['anthropic:m', 'openai:m'], 'defaults.model'],
    ['system', ['Be kind.', 'Be brief.'], 'cases.0.environment.system_prompt'],
    ['metadata', ['owner: sam', 'owner: kim'], 'cases.0.metadata.owner'],
    ['activation', ['system:', 'activation: natural\nsystem:'], 'defaults.activation'],
    ['a folder of tools', ['tools: SkillKit.Tools.Shell', 'tools: ./tools'], 'cases.0.cannot_run'],
    ['module', ['MyApp.X', 'MyApp.Y'], 'warnings.0.message'],
    ['a module that is a tool', ['MyApp.X', 'SkillKit.Tools.Webhook'], 'cases.0.cannot_run'],
    ['agent', ['module: MyApp.X', 'agent: agents/neve'], 'cases.0.target'],
    ['an unknown field', ['module: MyApp.X', 'colour: red'], 'cases.0.metadata.colour'],
  ] as const)('%s', async (_, change, place) => {
    expect(await differs(evalMd, 'evals/x.eval.md', change)).toContain(place)
  })
  test('a tool of SkillKit that is here may stand among the skills, and is none of them', async () => {
    const text = (evalMd['evals/x.eval.md'] ?? '').replace('skills/a', '[skills/a, SkillKit.Tools.Shell]')
    const [one] = (await loaded({ ...evalMd, 'evals/x.eval.md': text.replace(/tools: .*\n/, '') })).cases
    expect([one?.environment?.tools, one?.skill_path, one?.cannot_run]).toEqual([['Bash'], '<folder>/skills/a', null])
  })
  test('the skill is loaded unless the file says natural; a typo is an error, and a bare model has no activation', async () => {
    const front = (text: string) => ({ 'EVAL.md': `---\n${text}\n---\n## a\n### Prompt\nx\n### Expect\ny\n` })
    const skill = { 'SKILL.md': '---\nname: a\ndescription: b\n---\nC\n' }
    expect((await loaded({ ...skill, ...front('') })).defaults?.activation).toBe('loaded')
    expect((await loaded({ ...skill, ...front('activation: natural') })).defaults?.activation).toBe('natural')
    expect((await loaded(front(''))).defaults?.activation).toBeUndefined()
    await expect(loaded({ ...skill, ...front('activation: natrual') })).rejects.toThrow(
      'expected one of natural, loaded',
    )
    await expect(loaded({ ...skill, ...front('activaton: natural') })).rejects.toThrow('did you mean "activation"?')
  })
  test('an agent brings its text, its skills, its sub-agents and its model', async () => {
    const text = (evalMd['evals/x.eval.md'] ?? '')
      .replace(/skills: .*\n/, 'agent: agents/neve\n')
      .replace(/model: .*\n/, '')
    const suite = await loaded({ ...evalMd, 'evals/x.eval.md': text })
    const [one] = suite.cases
    expect([suite.defaults?.model, one?.target, one?.skill_path]).toEqual(['openai:n', 'agent:neve', null])
    expect(one?.environment?.system_prompt).toBe('You are Neve.\n\nBe kind.')
    expect(one?.environment?.agents.map((file) => file.path)).toEqual(['critic.md', 'helper.md'])
    expect(one?.environment?.skills?.map((file) => file.path)).toEqual(['c/SKILL.md'])
  })
  test('beside AGENT.md the agent, beside SKILL.md the skill, beside a source file that', async () => {
    const text = '## one\n### Prompt\nHi\n### Expect\nx\n'
    const targetOf = async (files: Files) => (await loaded(files)).cases[0]?.target
    expect(await targetOf({ 'EVAL.md': text, 'SKILL.md': skill('a') })).toBe('skill:a')
    expect(await targetOf({ 'EVAL.md': text, 'SKILL.md': skill('a'), 'AGENT.md': 'Neve' })).toMatch(/^agent:/)
    expect(await targetOf({ 'x.EVAL.md': text, 'x.py': 'x = 1' })).toBe('source:x.py')
    expect(await targetOf({ 'x.EVAL.md': text })).toBeUndefined()
    const application = `---\nmodule: MyApp.X\n---\n${text}`
    expect(await targetOf({ 'EVAL.md': application, 'SKILL.md': skill('a') })).toBe('skill:a')
  })
  test.each([
    ['the identity', 'agents/neve/AGENT.md', 'You are Neve.', 'cases.0.environment.system_prompt'],
    ['a sub-agent', 'agents/neve/helper/AGENT.md', 'Help.', 'cases.0.environment.agents.1.sha256'],
    ['a skill', 'agents/neve/skills/c/SKILL.md', 'Do.', 'cases.0.environment.skills.0.sha256'],
    ['the name', 'agents/neve/AGENT.md', 'name: neve', 'cases.0.target'],
    ['the model', 'agents/neve/AGENT.md', 'openai:n', 'defaults.model'],
    ['a field that is not read', 'agents/neve/AGENT.md', 'name: neve\n', 'warnings.0'],
  ])('of an agent: %s', async (_, file, old, place) => {
    const files: Files = { ...evalMd, 'agents/neve/EVAL.md': '## one\n### Prompt\nHi\n### Expect\nx\n' }
    delete files['evals/x.eval.md']
    const text = old.endsWith('\n') ? `${old}capabilities: [x]\n` : `${old}x`
    expect(await differs(files, file, [old, text])).toContain(place)
  })
  test('skills of the frontmatter win over the SKILL.md next to the file', async () => {
    const beside = { 'EVAL.md': '## one\n### Prompt\nHi\n### Expect\nx\n', 'SKILL.md': skill('a') }
    const files = { ...beside, 'package.json': '{}', 'skills/b/SKILL.md': skill('b') }
    const skillOf = async (front: string) =>
      (await loaded({ ...files, 'EVAL.md': `${front}${beside['EVAL.md']}` })).cases[0]?.skill_path
    expect(await skillOf('')).toBe('<folder>')
    expect(await skillOf('---\nskills: skills/b\n---\n')).toBe('<folder>/skills/b')
  })
  test('they are found at any depth, by their three names, in order of their paths, and in no dot-folder', async () => {
    const text = '## one\n### Prompt\nHi\n### Expect\nx\n'
    const names = ['EVAL.md', 'a/b/c/d/EVAL.md', 'a/x.eval.md', 'b/y.EVAL.md']
    const others = ['.git/EVAL.md', 'node_modules/p/EVAL.md', 'eval.md', 'x.eval.txt', 'MY_EVAL.md']
    const folder = folderOf(Object.fromEntries([...names, ...others].map((name) => [name, text])))
    const found = async (place: string) =>
      (await findSuites(path.join(folder, place), null)).map((one) => path.relative(folder, one.place))
    expect(await found('.')).toEqual(names)
    expect(await found('a')).toEqual(names.slice(1, 3))
    for (const name of names) expect(await found(name)).toEqual([name])
  })
})

const golden: Files = {
  'ledger/persona/IDENTITY.md': 'You are Ledger.',
  'ledger/tools.md': 'Read only.',
  'ledger/model.md':
    '# Model\n\n## Default model\n\n**`m-1`**\n\n```yaml\ncost_guardrails: { enabled: true, daily_cap_usd: 5 }\n```\n',
  'ledger/memory/INDEX.md': '- rent.md',
  'ledger/memory/rent.md': '---\npinned: true\n---\n1,240.50\n',
  'ledger/wiki/INDEX.md': '- pool.md',
  'ledger/wiki/pool.md': '---\npinned: true\n---\nA pool.\n',
  'ledger/skills/c/SKILL.md': skill('c'),
  'ledger/evals/rubric.md':
    '---\nschema_version: 1\nagent: ledger\nweights: { care: 40, sum: 60 }\nthreshold_pass: 4.0\n---\nBe exact.\n',
  'ledger/evals/judge.md':
    '---\nschema_version: 1\nagent: ledger\nrecommended_judge:\n  cross_family: [gpt-5]\n  same_family_fallback: [claude-a]\nstrict_mode: true\naudit_sample_pct: 0.1\n---\nJudge {rubric} {agent_response}\n',
  'ledger/evals/golden/happy/001.md':
    '---\nschema_version: 1\nagent: ledger\ntest_id: 001_a\ncategory: happy\ncreated: 2026-05-06\nexpected_facts:\n  - { claim: rent, source: memory/rent.md, expected_value: "1" }\n---\n## Setup\nAs it is.\n## Input\nRent?\n## Expected behavior\nIt says it.\n## Pass criteria\n- care: 4\n- No hard fails\n## Notes\nplain\n',
}
const [rubric, judge, one] = ['rubric.md', 'judge.md', 'golden/happy/001.md'].map((name) => `ledger/evals/${name}`)

describe('golden tests, field by field', () => {
  const inGolden = 'cases.0.judging.golden'
  test.each([
    ['cross_family', judge, ['gpt-5', 'gpt-6'], 'defaults.judge'],
    ['same_family_fallback', judge, ['claude-a', 'claude-b'], 'defaults.judge'],
    ['strict_mode', judge, ['true', 'false'], `${inGolden}.judge.strict_mode`],
    ['audit_sample_pct', judge, ['0.1', '0.2'], `${inGolden}.judge.audit_sample_pct`],
    ["the judge's prompt", judge, ['Judge {', 'Weigh {'], `${inGolden}.judge.template`],
    ['created', one, ['2026-05-06', '2026-05-07'], 'cases.0.metadata.created'],
    ['schema_version', one, ['schema_version: 1', 'schema_version: 2'], 'warnings.0'],
    ['agent', one, ['agent: ledger', 'agent: abacus'], 'warnings.0'],
    ["the rubric's agent", rubric, ['agent: ledger', 'agent: abacus'], 'warnings.0'],
    ["the judge's schema_version", judge, ['schema_version: 1', 'schema_version: 2'], 'warnings.0'],
    ['a category that is not its folder', one, ['category: happy', 'category: edge'], 'warnings.0'],
    ["a fact's source", one, ['memory/rent.md', 'memory/gone.md'], 'cases.0.cannot_run'],
    ['Setup', one, ['As it is.', 'As it was.'], 'cases.0.prompt'],
    ['Input', one, ['Rent?', 'Rent!'], 'cases.0.prompt'],
    ['persona', 'ledger/persona/IDENTITY.md', ['Ledger', 'Book'], 'cases.0.environment.system_prompt'],
    ['tools.md', 'ledger/tools.md', ['Read', 'Look'], 'cases.0.environment.system_prompt'],
    ['the index of memory', 'ledger/memory/INDEX.md', ['rent', 'rents'], 'cases.0.environment.system_prompt'],
    ['a skill', 'ledger/skills/c/SKILL.md', ['Do.', 'Do it.'], 'cases.0.environment.skills.0.sha256'],
    ['what it may cost', 'ledger/model.md', ['daily_cap_usd: 5', 'daily_cap_usd: 6'], 'guardrails.caps.0.usd'],
    ['a pinned note', 'ledger/memory/rent.md', ['1,240.50', '990'], 'cases.0.environment.system_prompt'],
    ['a note', 'ledger/memory/rent.md', ['pinned: true', 'pinned: false'], 'cases.0.files.0.sha256'],
    ['the model', 'ledger/model.md', ['m-1', 'm-2'], 'defaults.model'],
  ] as const)('%s', async (_, file = '', change, place) => {
    expect(await differs(golden, file, change)).toContain(place)
  })
  test('judges are those that an engine can ask, in their order; others are named', async () => {
    const text = (golden[judge ?? ''] ?? '').replace('[gpt-5]', '[gemini-2.5-pro, mistral-large, gpt-5]')
    const suite = await loaded({ ...golden, [judge ?? '']: text })
    expect(suite.defaults?.judge).toBe('gemini-2.5-pro,gpt-5,claude-a')
    expect(suite.warnings.map(({ message }) => message)).toEqual([
      'the judge mistral-large belongs to no provider that Whetstone can ask',
    ])
  })
  test('the agent gets its vault, and of its evals nothing', async () => {
    const suite = await loaded({
      ...golden,
      'ledger/log/2026.jsonl': '{}',
      'ledger/.obsidian/x': '1',
      'ledger/workspaces/ledger/x': '1',
    })
    const seen = ['memory', 'model.md', 'persona', 'skills', 'tools.md', 'wiki']
    expect(suite.cases[0]?.files.map((file) => file.path)).toEqual(seen)
  })
})

/** --among on an SDK engine, in both configurations and as a third; what is refused before the first call. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmarkIndex } from '../../../schemas/benchmark_index.ts'
import { keysOf, newestIn, tidyCases } from '../bench/benched.ts'
import { makeSkill } from '../program.ts'
import { benchOn, makePlugin } from './plugin.ts'

const scenario = `
rules:
  - name: reads the neighbour
    when: { turn: 1, tool: "^Read$", system: "NEAR-CANARY" }
    tool_calls: { name: Read, input: { file_path: .claude/skills/near/SKILL.md } }
  - { name: ends, answer: { text: "TIDY" } }
`
const env = ({ url }: { url: string }) => keysOf(url)
const cases = tidyCases(2)

/** Two neighbour skills next to the tested one, each with a canary in its description; gives their folder. */
function makeNeighbours(skill: string): string {
  const folder = path.join(path.dirname(skill), 'others')
  for (const name of ['near', 'far']) {
    mkdirSync(path.join(folder, name), { recursive: true })
    const description = `${name.toUpperCase()}-CANARY does ${name} things.`
    writeFileSync(path.join(folder, name, 'SKILL.md'), `---\nname: ${name}\ndescription: ${description}\n---\nBody.\n`)
  }
  return folder
}

describe('--among', () => {
  const engine = 'anthropic:practice-1'
  const skill = makeSkill(cases)
  const args = [skill, '--among', makeNeighbours(skill), '--engine', engine]

  test('both configurations have both, and what was read is recorded', async () => {
    const { end, read, requests, workspace } = await benchOn(args, scenario, env)
    expect(end, end.stdout + end.stderr).toMatchObject({ code: 0 })
    const first = requests.filter(({ turn, rule }) => turn === 1 && rule !== null)
    expect(first).toHaveLength(4)
    for (const one of first) expect(one.system).toContain('NEAR-CANARY')
    for (const one of first) expect(one.system).toContain('FAR-CANARY')
    for (const arm of ['with_skill', 'without_skill']) {
      const record = JSON.parse(read('', arm, 'run.json'))
      expect(record.skills_read).toEqual([{ name: 'near', step: 1 }])
      expect(record.loaded.skills).toEqual(expect.arrayContaining(['near', 'far']))
    }
    expect(JSON.parse(read('', 'without_skill', 'run.json')).loaded.skills).not.toContain('tidy')
    expect(newestIn(workspace).read('benchmark.md')).toMatch(/\| near \| 2 of 2 runs \| 2 of 2 runs \|/)
  })
  test('as a third: 2 configurations cost 4 agent runs, 3 cost 6', async () => {
    const { end, requests, workspace } = await benchOn([...args, '--alone', '--fresh', '--no-cache'], scenario, env)
    expect(end, end.stdout + end.stderr).toMatchObject({ code: 0 })
    const first = requests.filter(({ turn, rule }) => turn === 1 && rule !== null)
    expect(first).toHaveLength(6)
    expect(first.filter(({ system }) => system.includes('NEAR-CANARY'))).toHaveLength(2)
    expect(end.stderr).toMatch(/2 of 4 runs are those of the comparisons before[\s\S]*4 of 4 runs are those of/)
    expect(end.stderr).not.toContain('continuing in')
    const index = benchmarkIndex.parse(JSON.parse(readFileSync(path.join(workspace, 'index.json'), 'utf8')))
    expect(index.rows.map(({ cell, status }) => [cell, status]).sort()).toEqual([
      ['skill alone against none', 'done'],
      ['with neighbours against none', 'done'],
      ['with neighbours against skill alone', 'done'],
    ])
    expect(readFileSync(path.join(workspace, 'index.md'), 'utf8')).toContain('95% CI')
  })
  test('negative control: without --among no run knows of them, and nothing is recorded', async () => {
    const { requests, read } = await benchOn([skill, '--engine', engine], scenario, env)
    expect(JSON.stringify(requests)).not.toContain('-CANARY')
    expect(JSON.parse(read('', 'with_skill', 'run.json'))).not.toHaveProperty('skills_read')
  })
})

describe('before the first call', () => {
  const engine = ['--engine', 'anthropic:practice-1']
  const near = (name: string) =>
    makeSkill(cases, { 'SKILL.md': `---\nname: ${name}\ndescription: D.\n---\nB.\n` }, name)
  const userOnly = () =>
    makeSkill(cases, { 'SKILL.md': '---\nname: tidy\ndescription: D.\ndisable-model-invocation: true\n---\nB.\n' })
  const alpha = (plugin: string) => path.join(plugin, 'skills/alpha')
  const refused: readonly [what: string, args: () => readonly string[], message: RegExp][] = [
    ['two skills of one name', () => [makeSkill(cases), '--among', near('tidy')], /two skills are named tidy: .* and /],
    ['a folder without a skill', () => [makeSkill(cases), '--among', '/usr'], /--among "\/usr": no skill in it/],
    ['the skill itself alone', () => ['SAME', '--among', 'SAME'], /--among: no other skill there/],
    ['a skill that is in no plugin', () => [makeSkill(cases), '--whole-plugin'], /is in no plugin/],
    [
      'a plugin of which the engine supports nothing',
      () => [alpha(makePlugin({ 'skills/beta/SKILL.md': undefined })), '--whole-plugin', '--engine', 'pi:anthropic/x'],
      /the engine pi supports nothing of the plugin plug besides the skill alpha/,
    ],
    [
      '--whole-plugin with --matrix',
      () => [alpha(makePlugin()), '--whole-plugin', '--matrix', 'anthropic:a,anthropic:b'],
      /--whole-plugin with --matrix: .*three configurations.*\n(?:hint|.*fix).*leave out --matrix/,
    ],
  ]
  test.each(refused)('%s', async (_, args, message) => {
    const same = makeSkill(cases)
    const all = args().map((word) => (word === 'SAME' ? same : word))
    const isChosen = all.includes('--matrix') || all.includes('--engine')
    const { end, requests } = await benchOn([...all, ...(isChosen ? [] : engine)], scenario, env)
    expect(end.code, end.stdout).toBe(2)
    expect(end.stderr + end.stdout).toMatch(message)
    expect(requests.filter(({ path: place }) => /messages|responses|completions/.test(place))).toEqual([])
  })
  test('parts that the engine does not support are named and left out; without --whole-plugin it says that there are some', async () => {
    const start = [alpha(makePlugin()), '--dry-run', ...engine]
    const { end, requests } = await benchOn([...start, '--whole-plugin'], scenario, env)
    expect(end.stdout).toMatch(/the engine anthropic does not support commands: left out/)
    expect(end.stdout).toContain('whole_plugin also has the skill beta and the other parts of the plugin plug')
    expect(requests.filter(({ rule }) => rule !== null)).toEqual([])
    expect((await benchOn(start, scenario, env)).end.stdout).toContain(
      'alpha is part of the plugin plug, which also has hooks, MCP servers, agents, commands; --whole-plugin measures all of it',
    )
  })
  test('a skill that only the user starts: refused where no run would use it, with the way that works', async () => {
    const on = async (name: string, ...more: string[]) => {
      const { end } = await benchOn([userOnly(), '--engine', name, '--dry-run', ...more], scenario, env)
      return end.stdout + end.stderr
    }
    expect(await on('claude-code:sonnet')).toMatch(
      /on claude-code the agent never starts tidy by itself[\s\S]*--activation instructed .*\/tidy/,
    )
    const instructed = ['--activation', 'instructed']
    expect(await on('claude-code:sonnet', ...instructed)).toContain('each prompt with the skill begins with /tidy')
    expect(await on('copilot:anthropic/x', ...instructed)).toContain('nothing in a prompt can start it')
    expect(await on('anthropic:practice-1')).toContain('disable-model-invocation has no effect on anthropic')
  })
})

/** What a skill starts by itself is listed, and needs a yes where no sandbox holds it. (`--sandbox=off`: the helper adds no --trust-suite.) */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { agent, fresh, makeSkill } from '../../e2e/program.ts'

const one = { id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }
const plain = '---\nname: tidy\ndescription: Tidies things up.\n---\n\nSay TIDY.\n'
const hooks = 'hooks: { PreToolUse: [{ hooks: [{ type: command, command: touch mark }] }] }'
const hooked = plain.replace('\n---\n\n', `\n${hooks}\n---\n\n`)

const skillWith = (text: string) => makeSkill([one], { 'SKILL.md': text })
const queries = JSON.stringify([
  { query: 'tidy this', should_trigger: true },
  { query: 'sing', should_trigger: false },
])

const engine = ['--engine', agent('tidy.mjs')]
const off = '--sandbox=off'
const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')

describe.each([
  ['a hook', hooked, 'hook', 'PreToolUse: touch mark'],
  ['a command in the text', `${plain}\nState: !\`touch mark\`\n`, 'skill command', 'touch mark'],
])('%s of the skill', (_, text, word, command) => {
  const line = new RegExp(`${word} +1 \\S+ +tidy/SKILL\\.md: ${escaped(command)}`)
  test.each<[string, (skill: string) => string[]]>([
    ['bench', (skill) => ['bench', skill, ...engine, '--runs', '1']],
    ['eval', (skill) => ['eval', skill, ...engine]],
    ['bench, as the baseline', (skill) => ['bench', skillWith(plain), '--baseline', skill, ...engine, '--runs', '1']],
  ])('%s lists it, and refuses the start and the dry run without a yes', async (_, argsFor) => {
    const workspace = path.join(fresh(), 'ws')
    const args = [...argsFor(skillWith(text)), '--workspace', workspace, off]
    for (const dry of [[], ['--dry-run']]) {
      const end = await runMain([...args, ...dry])
      expect(end.stdout + end.stderr).toMatch(line)
      expect(end.stdout + end.stderr).toContain('a command of the skill would run as you, without a sandbox')
      expect(end.code).toBe(2)
    }
    expect(existsSync(workspace)).toBe(false)
    const allowed = await runMain([...args, '--dry-run', '--trust-suite'])
    expect([allowed.code, allowed.stdout]).toEqual([0, expect.stringMatching(line)])
  })
  test('triggers: the same', async () => {
    const skill = makeSkill([one], { 'SKILL.md': text, 'evals/trigger-eval.json': queries })
    const args = ['triggers', skill, '--engine', 'anthropic:claude-haiku-4-5', off, '--dry-run']
    const end = await runMain(args)
    expect(end.stdout).toMatch(new RegExp(`${word} +\\S.*tidy/SKILL\\.md: ${escaped(command)}`))
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('--trust-suite')])
    expect((await runMain([...args, '--trust-suite'])).code).toBe(0)
    const started = await runMain(args.slice(0, -1))
    expect([started.code, started.stderr]).toEqual([2, expect.stringContaining('a command of the skill would run')])
  })
  test('check lists it, with a suite and without one', async () => {
    const listed = async (skill: string) =>
      JSON.parse((await runMain(['check', skill, '--json'])).stdout).skills[0].commands
    const [kind, source] = [word.replace(' ', '_'), 'tidy/SKILL.md']
    expect(await listed(skillWith(text))).toEqual([{ kind, command, source, cases: ['1 task'] }])
    const alone = path.join(fresh(), 'tidy')
    mkdirSync(alone)
    writeFileSync(path.join(alone, 'SKILL.md'), text)
    expect(await listed(alone)).toEqual([{ kind, command, source, cases: [] }])
  })
})

describe('control: a skill that starts nothing', () => {
  test('needs no yes', async () => {
    const args = ['bench', skillWith(plain), ...engine, '--runs', '1', '--workspace', path.join(fresh(), 'ws'), off]
    const end = await runMain(args)
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr).not.toContain('would run')
  })
  test('is listed with nothing by check', async () => {
    const { stdout } = await runMain(['check', skillWith(plain), '--json'])
    expect(JSON.parse(stdout).skills[0].commands).toBeUndefined()
  })
})

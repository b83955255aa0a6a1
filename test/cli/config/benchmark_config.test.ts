/** Commands on a finished benchmark follow the whetstone.config of its skill; one that somebody gave away sets nothing. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { fresh } from '../../e2e/program.ts'
import { runMain, tidyAgent } from '../run_main.ts'
import { makeRepository, yaml } from './repository.ts'

describe('commands on a benchmark', () => {
  const config = 'judge: anthropic:haiku\nseed: 7\npairs: 2\ncompare:\n  pairs: 5\n'
  async function benched(text: string, inSkill: Record<string, string> = {}) {
    const { skill, root } = makeRepository({}, inSkill)
    const workspace = path.join(fresh(), 'ws')
    const flags = ['--engine', tidyAgent, '--runs', '1', '--workspace', workspace, '--sandbox', 'off']
    expect((await runMain(['bench', skill, ...flags])).code).toBe(0)
    writeFileSync(path.join(root, yaml), text)
    const folder = path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
    return { workspace, folder, root }
  }
  test('take the file of the skill that was benched; each what it has, its section first, flags before all', async () => {
    const { workspace, folder, root } = await benched(config)
    const of = async (...args: string[]) => {
      const end = await runMain([...args, '--print-config', '--json'])
      expect(end.code, end.stderr).toBe(0)
      const { file, settings } = JSON.parse(end.stdout)
      expect(file).toBe(path.join(root, yaml))
      return (key: string) => settings.find((one: { key: string }) => one.key === key)
    }
    const compare = await of('compare', folder, '--seed', '9')
    expect(['judge', 'pairs', 'seed'].map((key) => compare(key).value)).toEqual(['anthropic:haiku', 5, 9])
    expect(compare('pairs').origin).toMatchObject({ kind: 'file', line: 5 })
    expect(compare('seed').origin).toEqual({ kind: 'flag' })
    for (const place of [workspace, folder]) {
      const audit = await of('audit', place)
      expect([audit('seed').value, audit('sample').value, audit('judge')]).toEqual([7, 10, undefined])
    }
    expect((await of('grade', folder))('judge').value).toBe('anthropic:haiku')
  }, 180_000)
  test('follow it, and say so', async () => {
    const { folder } = await benched('judge: command:./judge.sh\n')
    const end = await runMain(['compare', folder, '--dry-run', '--trust-config'])
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr).toMatch(/settings of .*whetstone\.config\.yaml: judge/)
    expect(end.stdout).toMatch(/^judge command: 2 judgements/m)
    const mistake = await benched('compare:\n  pears: 2\n')
    const told = await runMain(['compare', mistake.folder, '--dry-run'])
    expect(told).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/unknown setting "pears" in compare .*:2\)\n.*pairs/),
    })
  })
  test('a file that came with the skill names no command unconfirmed, and one in a delivery is not looked at', async () => {
    const { folder } = await benched('', { [`evals/${yaml}`]: 'compare:\n  judge: command:./evil.sh\n' })
    const end = await runMain(['compare', folder, '--analyze', '--dry-run'])
    expect(end).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/judge: command:\S+evil.sh is not confirmed/),
    })
    const [one, two] = [fresh(), fresh()]
    for (const place of [one, two]) writeFileSync(path.join(place, yaml), 'judge: command:./evil.sh\n')
    const printed = await runMain(['compare', one, two, '--print-config', '--json'], { cwd: fresh() })
    expect(JSON.parse(printed.stdout).file).toBeNull()
  })
  test.each([
    ['its own folder', (folder: string) => path.join(folder, 'skill'), false],
    ['a link to its own folder', (folder: string) => path.join(folder, '../link/skill'), false],
    ['a relative place', (folder: string) => path.join(path.basename(folder), 'skill'), true],
  ])(
    'a benchmark that somebody gave away widens nothing by a file in it: its plan names %s',
    async (_, skillIn, isIgnored) => {
      const { folder } = await benched('')
      symlinkSync(folder, path.join(folder, '../link'))
      mkdirSync(path.join(folder, 'skill'))
      writeFileSync(path.join(folder, yaml), 'sandbox: "off"\njudge: command:./evil.sh\n')
      const plan = path.join(folder, 'plan.json')
      const stored = JSON.parse(readFileSync(plan, 'utf8'))
      writeFileSync(plan, JSON.stringify({ ...stored, skill: { ...stored.skill, path: skillIn(folder) } }))
      const printed = await runMain(['grade', folder, '--print-config', '--json'], { cwd: fresh() })
      expect(JSON.parse(printed.stdout).file === null).toBe(isIgnored)
      const end = await runMain(['grade', folder], { cwd: fresh() })
      if (isIgnored) expect(end.stderr).not.toContain('not confirmed')
      else
        expect(end).toMatchObject({
          code: 2,
          stderr: expect.stringMatching(/sandbox: off is not[\s\S]*judge: \S+ is not/),
        })
    },
  )
})

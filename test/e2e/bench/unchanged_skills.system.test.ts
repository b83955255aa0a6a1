/** Of several skills, those that are unchanged since the baseline are left out: a pull request rarely changes all. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

const names = ['first', 'second']

function repository(): string {
  const root = fresh()
  for (const name of names) {
    const skill = makeSkill(
      [{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }],
      { 'SKILL.md': `---\nname: ${name}\ndescription: d\n---\nSay TIDY.\n` },
      name,
    )
    cpSync(skill, path.join(root, name), { recursive: true })
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' })
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'one')
  return root
}

const benchIn = (cwd: string, ...flags: string[]) =>
  runMain(
    ['bench', ...names, '--baseline', 'git:HEAD', '--engine', tidyAgent, '--runs', '1', '--sandbox', 'off', ...flags],
    {
      cwd,
    },
  )

describe.each([['--dry-run'], ['--yes']])('bench %s', (flag) => {
  test('of two skills, one changed: the other is named and left out', async () => {
    const root = repository()
    appendFileSync(path.join(root, 'second/SKILL.md'), 'Always.\n')
    const end = await benchIn(root, flag)
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr).toContain('ignored first: --baseline git:HEAD: the skill is unchanged since then')
    const index = path.join(root, 'workspaces/index.json')
    const skills = existsSync(index)
      ? JSON.parse(readFileSync(index, 'utf8')).rows.map((row: { skill: string }) => row.skill)
      : []
    expect(skills).toEqual(flag === '--yes' ? ['second'] : [])
  })
  test('of two unchanged skills: refused, and no index replaces an older one', async () => {
    const root = repository()
    const end = await benchIn(root, flag)
    expect([end.code, end.stderr]).toEqual([
      2,
      expect.stringContaining('--baseline git:HEAD: every skill is unchanged'),
    ])
    expect(existsSync(path.join(root, 'workspaces/index.json'))).toBe(false)
  })
})

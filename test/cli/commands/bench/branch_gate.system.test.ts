/** A pull request's gate on several skills: only those that the branch touches, new ones compared with no skill. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { fresh, makeSkill } from '../../../e2e/program.ts'
import { runMain, tidyAgent } from '../../run_main.ts'

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd, stdio: 'pipe' })

function addSkill(root: string, name: string): void {
  const skill = makeSkill(
    [{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }],
    { 'SKILL.md': `---\nname: ${name}\ndescription: Says it for ${name}.\n---\nSay TIDY.\n` },
    name,
  )
  cpSync(skill, path.join(root, 'skills', name), { recursive: true })
}

/** On main the skills first and second; on the branch the third is new. */
function repository(): string {
  const root = fresh()
  for (const name of ['first', 'second']) addSkill(root, name)
  git(root, 'init', '-q', '--initial-branch=main')
  git(root, 'add', '-A')
  git(root, 'commit', '-qm', 'one')
  git(root, 'checkout', '-q', '-b', 'branch')
  return root
}

const bench = (cwd: string, ...args: string[]) =>
  runMain(['bench', ...args, '--engine', tidyAgent, '--runs', '1'], { cwd })

const readIndex = (root: string) => JSON.parse(readFileSync(path.join(root, 'workspaces/index.json'), 'utf8'))

describe('a skill that is new against --baseline', () => {
  test('is compared with no skill, and every report says so; resumed, its runs are not sold as another version', async () => {
    const root = repository()
    addSkill(root, 'third')
    const args = ['skills/third', '--baseline', 'git:main']
    const end = await bench(root, ...args, '--reporter', 'markdown:out.md,junit:out.xml')
    expect(end.code, end.stderr).toBe(0)
    const note = 'ew skill: it did not exist at main, so the baseline runs without a skill'
    for (const text of [end.stderr, end.stdout.replaceAll(/\s+/g, ' ')]) expect(text).toContain(note)
    for (const file of ['out.md', 'out.xml']) expect(readFileSync(path.join(root, file), 'utf8')).toContain(`N${note}.`)
    const resumed = await bench(root, ...args, '--json')
    const result = JSON.parse(resumed.stdout.trim().split('\n').at(-1) ?? '')
    expect(Object.keys(result.run_summary).sort()).toEqual(['delta', 'with_skill', 'without_skill'])
  })
  test('among several: each has its own baseline', async () => {
    const root = repository()
    addSkill(root, 'third')
    appendFileSync(path.join(root, 'skills/second/SKILL.md'), 'Always.\n')
    const end = await bench(root, 'skills/first', 'skills/second', 'skills/third', '--baseline', 'git:main')
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr).toContain('ignored skills/first: --baseline git:main: the skill is unchanged since then')
    expect(readIndex(root).rows.map((row: { skill: string; status: string }) => [row.skill, row.status])).toEqual([
      ['second', 'done'],
      ['third', 'done'],
    ])
  })
})

describe('bench --changed', () => {
  test('benchmarks what the branch touches below a folder', async () => {
    const root = repository()
    appendFileSync(path.join(root, 'skills/second/SKILL.md'), 'Always.\n')
    const end = await bench(root, '.', '--changed', 'main')
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr).toContain('1 of 2 skills changed since main')
    expect(existsSync(path.join(root, 'workspaces/second/benchmarks'))).toBe(true)
    expect(existsSync(path.join(root, 'workspaces/first'))).toBe(false)
  })
  test.each([[[]], [['--dry-run']]])('nothing changed %j: exit 0 and nothing runs', async (flags) => {
    const root = repository()
    const end = await bench(root, 'skills', '--changed', 'main', ...flags)
    expect([end.code, existsSync(path.join(root, 'workspaces'))]).toEqual([0, false])
    expect(end.stdout).toContain('No skill changed since main: nothing to do.')
  })
  test('only a suite changed: nothing to compare with the same skill, and a gate still passes', async () => {
    const root = repository()
    writeFileSync(path.join(root, 'skills/first/evals/notes.txt'), 'x')
    const gated = await bench(root, 'skills', '--changed', 'main', '--baseline', 'git:main')
    expect([gated.code, gated.stdout]).toEqual([0, expect.stringContaining('the skill is unchanged since then')])
    const plain = await bench(root, 'skills', '--baseline', 'git:main')
    expect(plain.code).toBe(2)
  })
})

describe('check and eval --changed', () => {
  test('check', async () => {
    const root = repository()
    writeFileSync(path.join(root, 'skills/first/SKILL.md'), 'broken')
    expect((await runMain(['check', 'skills'], { cwd: root })).stdout).toContain('2 skills:')
    const end = await runMain(['check', 'skills', '--changed', 'main'], { cwd: root })
    expect([end.code, end.stdout]).toEqual([1, expect.stringContaining('1 skill:')])
    git(root, 'checkout', '.')
    const none = await runMain(['check', 'skills', '--changed', 'main'], { cwd: root })
    expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('no skill changed since main')])
  })
  test('eval', async () => {
    const root = repository()
    const run = (...flags: string[]) => runMain(['eval', 'skills', '--engine', tidyAgent, ...flags], { cwd: root })
    const none = await run('--changed', 'main')
    expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('no suite changed since main: nothing to do')])
    mkdirSync(path.join(root, 'skills/first/references'))
    writeFileSync(path.join(root, 'skills/first/references/a.md'), 'x')
    const one = await run('--changed', 'main')
    expect([one.code, one.stdout]).toEqual([1, expect.stringContaining('0 of 1 passed, 1 failed')])
  })
})

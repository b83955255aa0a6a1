/** Many skills, and one suite on many engines: each its own workspace, one index over all; one that can't start stops all before a run, one that fails later none; those that are unchanged since the baseline are left out. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmarkIndex } from '../../../schemas/benchmark_index.ts'
import { flowEvent } from '../../../schemas/flow_event.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { jsonLines, tidyCases } from '../../e2e/bench/benched.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

const how = ['--runs', '1', '--sandbox', 'off']
const command = ['--engine', tidyAgent, ...how]
const skillMd = (name: string) => ({ 'SKILL.md': `---\nname: ${name}\ndescription: Tidies.\n---\nSay TIDY.\n` })
const says = (value: string) => [{ id: 1, name: 'first', prompt: 'x', checks: [{ type: 'contains', value }] }]
const helps = makeSkill(says('TIDY'))
const idle = makeSkill(says('messy'), { ...skillMd('other') })
const broken = makeSkill(says('TIDY'), { ...skillMd('broken'), 'evals/evals.json': '{' })

const indexOf = (root: string) => benchmarkIndex.parse(JSON.parse(readFileSync(path.join(root, 'index.json'), 'utf8')))

test('none starts where one has no suite or broken frontmatter: every such skill is named', async () => {
  const root = fresh()
  const yaml = makeSkill(says('TIDY'), { 'SKILL.md': '---\nname: yaml\ndescription: Use it: always\n---\nSay TIDY.\n' })
  const end = await runMain(['bench', helps, broken, yaml, ...command, '--workspace', root])
  expect([end.code, existsSync(path.join(root, 'tidy'))]).toEqual([2, false])
  for (const line of ['error: broken: ', 'not valid YAML', "2 of 3 benchmarks can't start, so none did"])
    expect(end.stderr).toContain(line)
})

describe('three skills, and the first fails at its start', () => {
  const root = fresh()
  // a file is in the place of its workspace
  writeFileSync(path.join(root, 'broken'), '')
  const blocked = makeSkill(says('TIDY'), { ...skillMd('broken') })
  const ended = runMain(['bench', blocked, idle, helps, ...command, '--workspace', root, '--json'])

  test('the others are benched, each in a folder of its own; the index has the error, with the worst exit code of all', async () => {
    const { code, stdout } = await ended
    expect(code).toBe(2)
    expect(['tidy', 'broken', 'other'].map((name) => existsSync(path.join(root, name, 'benchmarks')))).toEqual([
      true,
      false,
      true,
    ])
    expect(indexOf(root).rows.map(({ skill, status, delta }) => [skill, status, delta])).toEqual([
      ['tidy', 'done', 1],
      ['other', 'done', 0],
      ['broken', 'failed', null],
    ])
    const lines = jsonLines(stdout)
    const events = lines.slice(0, -1).map((line) => flowEvent.parse(line))
    expect(new Set(events.map(({ skill }) => skill))).toEqual(new Set(['broken', 'tidy', 'other']))
    expect(events.filter(({ type }) => type === 'skill_failed')).toHaveLength(1)
    expect(lines.at(-1)).toMatchObject({ type: 'index', exit_code: 2, rows: [{ skill: 'tidy' }, {}, {}] })
  })
  test('every link of the page leads to a report', async () => {
    await ended
    const page = readFileSync(path.join(root, 'index.html'), 'utf8')
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, to = '']) => decodeURIComponent(to))
    expect(new Set(links).size).toBe(2)
    expect(links.filter((to) => !existsSync(path.join(root, to)))).toEqual([])
  })
})

test('--dry-run names every one that is broken, plans the others, exit 2', async () => {
  const other = makeSkill(says('TIDY'), { ...skillMd('second'), 'evals/evals.json': '[' })
  const end = await runMain(['bench', broken, helps, other, idle, ...command, '--dry-run'])
  expect(end.code).toBe(2)
  for (const skill of ['broken', 'second']) expect(end.stderr).toMatch(new RegExp(`error: ${skill}: .*evals\\.json:1`))
  for (const skill of ['tidy', 'other']) expect(end.stdout).toMatch(new RegExp(`^skill +${skill} `, 'm'))
})

test('what a glob brings along is passed over and the exit code is that of the skill; alone it is a mistake', async () => {
  const file = path.join(fresh(), 'README.md')
  writeFileSync(file, 'Skills.')
  const end = await runMain(['bench', file, helps, path.join(helps, 'SKILL.md'), ...command, '--dry-run'])
  expect([end.code, end.stderr]).toEqual([0, expect.stringMatching(/^ignored .*README\.md: a file, neither/m)])
  expect(end.stderr).toMatch(/^ignored .*SKILL\.md: the same skill was named before/m)
  const alone = await runMain(['bench', file, ...command])
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringMatching(/a file, not a skill folder \(.*README\.md\)/)])
})

test('without --workspace workspaces and index are below ./workspaces, and two skills of one name get folders of their own', async () => {
  const cwd = fresh()
  const end = await runMain(['bench', helps, idle, makeSkill(says('TIDY')), ...command], { cwd })
  expect(end.code).toBe(0)
  const made = ['index.html', 'index.json', 'index.md', 'other', 'tidy', 'tidy-2']
  expect(readdirSync(path.join(cwd, 'workspaces')).sort()).toEqual(made)
  const { rows } = indexOf(path.join(cwd, 'workspaces'))
  expect(rows.map(({ skill }) => skill).sort()).toEqual(['other', 'tidy', 'tidy-2'])
})

describe('--matrix', () => {
  test('one row a cell, a workspace each, compared in one table; a cell that is never graded is incomplete', async () => {
    const root = fresh()
    const cells = `${tidyAgent},command:false`
    const end = await runMain(['bench', helps, '--matrix', cells, ...how, '--retries', '0', '--workspace', root])
    expect(end.code).toBe(3)
    expect(end.stdout).toContain('INCOMPLETE')
    const { rows } = indexOf(root)
    expect(rows.map(({ cell, status, delta }) => [cell, status, delta])).toEqual([
      [tidyAgent, 'done', 1],
      ['command:false', 'incomplete', null],
    ])
    expect(new Set(rows.map(({ folder }) => folder?.split('/')[0])).size).toBe(2)
    expect(readFileSync(path.join(root, 'index.md'), 'utf8')).toContain('| skill | engine | with | without |')
  })
  test('one judge for all of them, which the first cell would have; --dry-run plans every cell', async () => {
    const judged = makeSkill([{ id: 1, prompt: 'x', expectations: ['It is tidy'] }])
    const args = ['bench', judged, '--matrix', 'anthropic:haiku,anthropic:sonnet,command:false', '--dry-run', '--json']
    const plans = jsonLines((await runMain(args)).stdout).flatMap(({ options }) => options ?? [])
    expect(plans.map(({ engine }) => engine.name)).toEqual(['anthropic', 'anthropic', 'command'])
    const [judge] = plans.map((plan) => plan.judge)
    expect(plans.map((plan) => plan.judge)).toEqual([judge, judge, judge])
    expect(judge).toMatchObject({ name: 'anthropic', model: expect.stringContaining('haiku') })
  })
})

/** Two skills, as they are in the last commit. */
function repository(): string {
  const root = fresh()
  for (const name of ['first', 'second']) {
    const skill = makeSkill(tidyCases(1), { 'SKILL.md': `---\nname: ${name}\ndescription: d\n---\nSay TIDY.\n` })
    cpSync(skill, path.join(root, name), { recursive: true })
  }
  const commands = 'git init -q; git add -A; git -c user.name=a -c user.email=a@example.com commit -qm one'
  execFileSync('sh', ['-ec', commands], { cwd: root, stdio: 'pipe' })
  return root
}

const benchIn = (cwd: string, flag: string) =>
  runMain(['bench', 'first', 'second', '--baseline', 'git:HEAD', ...command, flag], { cwd })

test('of two skills, one changed: the other is named and left out', async () => {
  const root = repository()
  appendFileSync(path.join(root, 'second/SKILL.md'), 'Always.\n')
  for (const flag of ['--dry-run', '--yes']) {
    const end = await benchIn(root, flag)
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr).toContain('ignored first: --baseline git:HEAD: the skill is unchanged since then')
  }
  const { rows } = JSON.parse(readFileSync(path.join(root, 'workspaces/index.json'), 'utf8'))
  expect(rows.map((row: { skill: string }) => row.skill)).toEqual(['second'])
})

test.each([['--dry-run'], ['--yes']])('of two unchanged skills, %s: refused, and no index is written', async (flag) => {
  const root = repository()
  const end = await benchIn(root, flag)
  const message = expect.stringContaining('--baseline git:HEAD: every skill is unchanged')
  expect([end.code, end.stderr]).toEqual([2, message])
  expect(existsSync(path.join(root, 'workspaces/index.json'))).toBe(false)
})

/** Many skills, and one suite on many engines: each its own workspace, one index over all, no one stops the others. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmarkIndex } from '../../../schemas/benchmark_index.ts'
import { flowEvent } from '../../../schemas/flow_event.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { agent, fresh, makeSkill } from '../program.ts'

const how = ['--runs', '1', '--sandbox', 'off']
const command = ['--engine', tidyAgent, ...how]
const skillMd = (name: string) => ({ 'SKILL.md': `---\nname: ${name}\ndescription: Tidies.\n---\nSay TIDY.\n` })
const says = (value: string) => [{ id: 1, name: 'first', prompt: 'x', checks: [{ type: 'contains', value }] }]
const helps = makeSkill(says('TIDY'))
const idle = makeSkill(says('messy'), { ...skillMd('other') })
const broken = makeSkill(says('TIDY'), { ...skillMd('broken'), 'evals/evals.json': '{' })

const indexOf = (root: string) => benchmarkIndex.parse(JSON.parse(readFileSync(path.join(root, 'index.json'), 'utf8')))
const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('three skills, the first broken', () => {
  const root = fresh()
  const ended = runMain(['bench', broken, idle, helps, ...command, '--workspace', root])

  test('the others are benched, each in a folder of its own', async () => {
    await ended
    expect(['tidy', 'broken', 'other'].map((name) => existsSync(path.join(root, name, 'benchmarks')))).toEqual([
      true,
      false,
      true,
    ])
  })
  test('its error is in the table, with the worst exit code of all', async () => {
    const { code, stdout } = await ended
    expect(stdout).toMatch(/broken .*FAILED: .*evals\.json:1/)
    expect(code).toBe(2)
  })
  test('one skill alone is told where its workspace is', async () => {
    await ended
    for (const flags of [['--rerun', 'eval-1-first/with_skill/run-1'], ['--last-failed']]) {
      const end = await runMain(['bench', idle, '--workspace', path.basename(root), ...flags], {
        cwd: path.dirname(root),
      })
      expect(end.code).toBe(2)
      expect(end.stderr).toContain(
        `${flags[0]}: no benchmark of ${path.relative(path.dirname(root), idle)} in ${path.basename(root)} yet`,
      )
      const below = path.join(path.basename(root), 'other')
      expect(end.stderr).toContain(`there is one in ${below}: name --workspace ${below}`)
    }
    const none = await runMain(['bench', broken, '--workspace', root, '--last-failed'])
    expect(none.stderr).toContain('bench without --last-failed first, or name --workspace')
  })
  test('rows come by difference, the broken one last', async () => {
    await ended
    expect(indexOf(root).rows.map(({ skill, status, delta }) => [skill, status, delta])).toEqual([
      ['tidy', 'done', 1],
      ['other', 'done', 0],
      ['broken', 'failed', null],
    ])
  })
  test('every link of the page leads to a report', async () => {
    await ended
    const page = readFileSync(path.join(root, 'index.html'), 'utf8')
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, to = '']) => decodeURIComponent(to))
    expect(new Set(links).size).toBe(2)
    expect(links.filter((to) => !existsSync(path.join(root, to)))).toEqual([])
  })
})

describe('--json', () => {
  test('events carry the skill, a failure is one of them, the last line is the index', async () => {
    const end = await runMain(['bench', broken, helps, ...command, '--json'])
    const lines = jsonLines(end.stdout)
    const events = lines.slice(0, -1).map((line) => flowEvent.parse(line))
    expect(new Set(events.map(({ skill }) => skill))).toEqual(new Set(['broken', 'tidy']))
    expect(events.filter(({ type }) => type === 'skill_failed')).toHaveLength(1)
    expect(lines.at(-1)).toMatchObject({ type: 'index', exit_code: 2, rows: [{ skill: 'tidy' }, { skill: 'broken' }] })
  })
})

describe('what a glob brings along', () => {
  const root = fresh()
  cpSync(helps, path.join(root, 'tidy'), { recursive: true })
  writeFileSync(path.join(root, 'README.md'), 'Skills.')
  const given = ['README.md', 'tidy', 'tidy/SKILL.md'].map((name) => path.join(root, name))

  test('is passed over, which is said; the exit code is that of the skill', async () => {
    const end = await runMain(['bench', ...given, ...command])
    expect(end.stderr).toMatch(/^ignored .*README\.md: a file, neither/m)
    expect(end.stderr).toMatch(/^ignored .*tidy\/SKILL\.md: the same skill was named before/m)
    expect([end.code, end.stdout]).toEqual([0, expect.not.stringContaining('FAILED')])
  })
  test('alone it is an error with its fix', async () => {
    const end = await runMain(['bench', given[0] ?? '', ...command])
    expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(/a file, not a skill folder \(.*README\.md\)/)])
  })
})

describe('--dry-run', () => {
  test('names every one that is broken, plans the others, exit 2', async () => {
    const other = makeSkill(says('TIDY'), { ...skillMd('second'), 'evals/evals.json': '[' })
    const end = await runMain(['bench', broken, helps, other, idle, ...command, '--dry-run'])
    expect(end.code).toBe(2)
    for (const skill of ['broken', 'second'])
      expect(end.stderr).toMatch(new RegExp(`error: ${skill}: .*evals\\.json:1`))
    for (const skill of ['tidy', 'other']) expect(end.stdout).toMatch(new RegExp(`^skill +${skill} `, 'm'))
  })
})

describe('workspaces', () => {
  test('without --workspace they and the index lie below ./workspaces', async () => {
    const cwd = fresh()
    const end = await runMain(['bench', helps, idle, ...command], { cwd })
    expect(end.code).toBe(0)
    expect(readdirSync(path.join(cwd, 'workspaces')).sort()).toEqual([
      'index.html',
      'index.json',
      'index.md',
      'other',
      'tidy',
    ])
  })
  test('two skills of one name do not share one', async () => {
    const cwd = fresh()
    const end = await runMain(['bench', helps, makeSkill(says('TIDY')), ...command], { cwd })
    expect(end.code).toBe(0)
    expect(readdirSync(path.join(cwd, 'workspaces'))).toEqual(expect.arrayContaining(['tidy', 'tidy-2']))
    const index = JSON.parse(readFileSync(path.join(cwd, 'workspaces/index.json'), 'utf8'))
    expect(index.rows.map(({ skill }: { skill: string }) => skill).sort()).toEqual(['tidy', 'tidy-2'])
  })
  test('an arm that is never graded makes it incomplete: exit 3, marked', async () => {
    const args = ['bench', helps, idle, '--engine', 'command:false', '--retries', '0', ...how]
    const end = await runMain(args)
    expect(end.code).toBe(3)
    expect(end.stdout).toContain('INCOMPLETE')
  })
})

describe('--matrix', () => {
  const cells = `${tidyAgent},command:false`
  test('one row a cell, a workspace each, compared in one table', async () => {
    const root = fresh()
    const end = await runMain(['bench', helps, '--matrix', cells, ...how, '--retries', '0', '--workspace', root])
    expect(end.code).toBe(3)
    const { rows } = indexOf(root)
    expect(rows.map(({ cell, status, delta }) => [cell, status, delta])).toEqual([
      [tidyAgent, 'done', 1],
      ['command:false', 'incomplete', null],
    ])
    expect(new Set(rows.map(({ folder }) => folder?.split('/')[0])).size).toBe(2)
    expect(readFileSync(path.join(root, 'index.md'), 'utf8')).toContain('| skill | engine | with | without |')
  })
  test('one judge for all of them: the one that is named', async () => {
    const judged = makeSkill([{ id: 1, prompt: 'x', expectations: ['It is tidy'] }])
    const judge = agent('../judges/reader.mjs')
    const two = `${tidyAgent},command:echo done`
    const end = await runMain(['bench', judged, '--matrix', two, '--judge', judge, ...how, '--json'])
    const lines = jsonLines(end.stdout)
    expect(lines.filter(({ type }) => type === 'plan_ready').map((line) => line.judge)).toEqual(['command', 'command'])
    expect(lines.at(-1)).toMatchObject({ type: 'index', judge })
  })
  test('or the judge that the first cell would have', async () => {
    const judged = makeSkill([{ id: 1, prompt: 'x', expectations: ['It is tidy'] }])
    const args = ['bench', judged, '--matrix', 'anthropic:haiku,anthropic:sonnet,command:false', '--dry-run', '--json']
    const judges = jsonLines((await runMain(args)).stdout).flatMap(({ options }) => (options ? [options.judge] : []))
    expect(judges).toEqual([judges[0], judges[0], judges[0]])
    expect(judges[0]).toMatchObject({ name: 'anthropic', model: expect.stringContaining('haiku') })
  })
  test.each([
    ['an engine of no name', ['anthropic:a,claud-code'], /claude-code/],
    ['an empty cell', ['anthropic:a,'], /an empty entry/],
    ['the same twice', ['anthropic:haiku,anthropic:haiku'], /the same/],
    ['beside --engine it', ['anthropic:a', ...command], /--engine/],
  ])('%s is a mistake', async (_what, matrix, message) => {
    const end = await runMain(['bench', helps, '--matrix', ...matrix])
    expect(end).toMatchObject({ code: 2 })
    expect(end.stderr).toMatch(message)
  })
  test('--dry-run plans every cell and runs nothing', async () => {
    const end = await runMain(['bench', helps, '--matrix', cells, '--dry-run', '--json'])
    expect(jsonLines(end.stdout).map((plan) => plan.options.engine.command)).toEqual(
      cells.split(',').map((cell) => cell.slice('command:'.length)),
    )
  })
})

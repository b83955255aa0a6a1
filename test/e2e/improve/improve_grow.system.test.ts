/** --grow-suite: what a small suite lacks is drafted beside it, and no draft judges a skill before its author has read it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { drafts } from '../suites/drafting.ts'
import { mends, openWorld, type World } from './improving.ts'

/** Sums, as the agent of this world can do them; their answers hold by the script once it is mended. */
const sums = (count: number) =>
  drafts(count).map((one, at) => ({
    ...one,
    name: `sum ${at}`,
    prompt: `What is ${7000 + 13 * at} plus ${300 + at}?`,
    files: [],
    expectations: [],
    checks: [{ type: 'contains', path: null, value: `sum: ${7300 + 14 * at}`, query: null, text: null }],
  }))

/** Ten at a time. */
const answers = (cases: readonly object[]) =>
  [cases.slice(0, 10), cases.slice(10)]
    .map(
      (some, at) => `
  - name: drafts ${at}
    when: { tool: '^submit$', user: 'Write ${some.length} test cases' }
    tool_calls: [{ name: submit, input: ${JSON.stringify({ cases: some })} }]
`,
    )
    .join('')

const grown = (world: World) => path.join(world.skill, 'evals/evals.grown.json')
const open = () => openWorld(mends + answers(sums(6)), 6)
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

describe('--grow-suite', () => {
  test('drafts what a claim about similar cases lacks into a file of its own, marked, behind the cases that are there', async () => {
    await using world = await open()
    const before = readFileSync(path.join(world.skill, 'evals/evals.json'), 'utf8')
    const end = await world.improveInProcess(['--grow-suite'])
    expect(end.code, end.stderr + end.stdout).toBe(0)
    const { evals } = read(grown(world))
    expect(evals.slice(0, 6)).toEqual(JSON.parse(before).evals)
    expect(evals.slice(6).map(({ id, review }: { id: number; review: string }) => [id, review])).toEqual(
      Array.from({ length: 6 }, (_, at) => [at + 7, 'draft']),
    )
    expect(readFileSync(path.join(world.skill, 'evals/evals.json'), 'utf8')).toBe(before)
    expect(existsSync(world.workspace) ? readdirSync(world.workspace) : []).toEqual([])
    expect(end.stdout).toMatch(/Then: whetstone improve \S+ --suite \S+evals\.grown\.json/)
    const asked = world.asked.filter((text) => text.includes('test cases for the skill'))
    expect(asked.every((text) => text.includes('What is 1000 plus 210?'))).toBe(true)
    const again = await world.improveInProcess(['--grow-suite'])
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('already exists')])
  })

  test('drafts are left out until they are reviewed, and taken in unreviewed only where that is asked for', async () => {
    await using world = await open()
    await world.improveInProcess(['--grow-suite'])
    const suite = ['--suite', grown(world), '--total-runs', '40']
    const out = await world.improveInProcess(suite)
    expect(out.code, out.stderr).toBe(0)
    const used = () => {
      const { split } = world.history()
      const ids = [...(split?.train ?? []), ...(split?.held_out ?? [])]
      return ids.sort((a, b) => a - b)
    }
    expect(used()).toEqual([1, 2, 3, 4, 5, 6])
    expect(world.history().split).toMatchObject({ drafts_used: false })
    expect(out.stdout.replaceAll('\n', ' ')).toContain('6 unreviewed drafts are left out')
    // what ran besides never saw one
    expect(world.asked.some((text) => text.includes('What is 7000 plus 300?') && !text.includes('test cases'))).toBe(
      false,
    )

    const asked = await world.improveInProcess([...suite, '--use-drafts'])
    expect(asked.code, asked.stderr).toBe(0)
    expect(world.history().split).toMatchObject({ drafts_used: true })
    expect(used()).toHaveLength(12)
    expect(asked.stdout.replaceAll('\n', ' ')).toContain('6 of the cases are unreviewed drafts')

    const { evals, ...rest } = read(grown(world))
    const reviewed = evals.map(({ review: _, ...one }: { review?: string }) => one)
    writeFileSync(grown(world), JSON.stringify({ ...rest, evals: reviewed }))
    const now = await world.improveInProcess(suite)
    expect(now.code, now.stderr).toBe(0)
    expect([used().length, world.history().split?.drafts]).toEqual([12, undefined])
    expect(world.history().current_best).toBe('v1')
  })

  test.each<[string, number, readonly string[], RegExp]>([
    ['a suite that is large enough', 18, ['--grow-suite'], /18 cases, enough to hold out eight/],
    ['with --apply', 6, ['--grow-suite', '--apply'], /--grow-suite with --apply/],
    ['with --use-drafts', 6, ['--grow-suite', '--use-drafts'], /--grow-suite with --use-drafts/],
    [
      'trigger queries without --description',
      6,
      ['--set', 'x.json', '--among=y'],
      /--set, --among without --description/,
    ],
  ])('%s is refused, and nobody is asked', async (_, cases, flags, said) => {
    await using world = await openWorld(mends, cases)
    const end = await world.improveInProcess(flags)
    expect([end.code, end.stderr, world.requests]).toEqual([2, expect.stringMatching(said), 0])
  })

  test('a model that answers nothing of use: nothing is written, exit 3', async () => {
    await using world = await openWorld(
      `${mends}
  - name: knows nothing
    when: { tool: '^submit$' }
    text: I have no idea.
`,
      6,
    )
    const end = await world.improveInProcess(['--grow-suite'])
    expect([end.code, existsSync(grown(world))]).toEqual([3, false])
    expect(end.stderr).toContain('no case was drafted')
  })
})

test('a suite of nothing but drafts is refused before anything runs, with what can be done', async () => {
  const evals = [1, 2, 3, 4].map((id) => ({
    ...{ id, prompt: `What is ${id} plus ${id}?`, review: 'draft' },
    checks: [{ type: 'contains', value: `sum: ${2 * id}` }],
  }))
  await using world = await openWorld(mends, 6, { 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals }) })
  const end = await world.improveInProcess()
  expect([end.code, world.requests]).toEqual([2, 0])
  expect(end.stderr).toMatch(/4 of its 4 cases are unreviewed drafts.*\n.*--use-drafts/)
})

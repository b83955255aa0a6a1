/** --grow-suite: what a small suite lacks is drafted beside it, and no draft judges a skill before its author has read it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { drafts } from '../suites/drafting.ts'
import { evals, mends, openWorld, type World } from './improving.ts'

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

const answer = `
  - name: drafts
    when: { tool: '^submit$', user: 'Write 6 test cases' }
    tool_calls: [{ name: submit, input: ${JSON.stringify({ cases: sums(6) })} }]
`

const grown = (world: World) => path.join(world.skill, 'evals/evals.grown.json')
const open = () => openWorld(mends + answer, 6)
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
    const suite = ['--suite', grown(world), '--total-runs', '24']
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
  })

  test('a suite that is large enough is refused, and nobody is asked', async () => {
    await using world = await openWorld(mends, 18)
    const end = await world.improveInProcess(['--grow-suite'])
    const message = expect.stringMatching(/18 cases, enough to hold out eight/)
    expect([end.code, end.stderr, world.requests]).toEqual([2, message, 0])
  })

  test('a model that answers nothing of use: nothing is written, exit 3', async () => {
    const idle = "\n  - { name: knows nothing, when: { tool: '^submit$' }, text: I have no idea. }\n"
    await using world = await openWorld(mends + idle, 6)
    const end = await world.improveInProcess(['--grow-suite'])
    expect([end.code, existsSync(grown(world))]).toEqual([3, false])
    expect(end.stderr).toContain('no case was drafted')
  })
})

test('a suite of nothing but drafts is refused before anything runs, with what can be done', async () => {
  const drafted = evals(4).map((one) => ({ ...one, review: 'draft' }))
  const files = { 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals: drafted }) }
  await using world = await openWorld(mends, 6, files)
  const end = await world.improveInProcess()
  expect([end.code, world.requests]).toEqual([2, 0])
  expect(end.stderr).toMatch(/4 of its 4 cases are unreviewed drafts.*\n.*--use-drafts/)
})

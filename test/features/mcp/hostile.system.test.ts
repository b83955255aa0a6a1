/** Arguments that an agent must not give are refused in words, and the server goes on. */
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fresh } from '../../e2e/program.ts'
import { connect, makePlace, type Place, small, startExamplePractice } from './connect.ts'

describe('hostile arguments', () => {
  let practice: Awaited<ReturnType<typeof startExamplePractice>>
  let one: Awaited<ReturnType<typeof connect>>
  let place: Place
  const outside = path.join(fresh(), 'invoice-totals')
  const allowed = path.join(fresh(), 'more')
  let questions = 0

  beforeAll(async () => {
    practice = await startExamplePractice()
    place = makePlace(practice.url)
    cpSync(path.join(place.cwd, 'invoice-totals'), outside, { recursive: true })
    cpSync(path.join(place.cwd, 'invoice-totals'), path.join(allowed, 'invoice-totals'), { recursive: true })
    symlinkSync(outside, path.join(place.cwd, 'link'))
    for (const [folder, text] of Object.entries({
      program: 'engine: "command:touch pwned"',
      powers: 'trust-suite: true',
    })) {
      cpSync(path.join(place.cwd, 'invoice-totals'), path.join(place.cwd, folder, 'invoice-totals'), {
        recursive: true,
      })
      writeFileSync(path.join(place.cwd, folder, 'whetstone.config.yaml'), `${text}\n`)
    }
    const benchmark = path.join(place.cwd, 'workspaces/x/benchmarks/2026-01-15T10-30-00Z')
    mkdirSync(path.join(benchmark, 'eval-1-x/with_skill/run-1'), { recursive: true })
    writeFileSync(path.join(benchmark, 'benchmark.md'), 'a title \u001b]0;pwned\u0007\u202e\n')
    symlinkSync('/etc/hostname', path.join(benchmark, 'eval-1-x/with_skill/run-1/transcript.md'))
    one = await connect(place, {
      roots: [allowed, '/nowhere'],
      elicit() {
        questions += 1
        return { action: 'decline' }
      },
    })
  })
  afterAll(async () => {
    await one.client.close()
    await practice.close()
  })

  const plans: [string, Record<string, unknown>, string][] = [
    ['a path outside', { skill: outside }, 'outside of the folders'],
    ['a path upwards', { skill: '../..' }, 'outside of the folders'],
    ['a link that leads out', { skill: 'link' }, 'outside of the folders'],
    ['a suite outside', { suite: '/etc/passwd' }, 'outside of the folders'],
    ['a workspace outside', { workspace: '/tmp' }, 'outside of the folders'],
    ['a baseline outside', { baseline: outside }, 'outside of the folders'],
    ['any program as engine', { engine: 'command:touch pwned' }, 'starts a program'],
    ['any program over ACP', { engine: 'acp:touch pwned' }, 'starts a program'],
    ['any program as judge', { judge: 'haiku,command:touch pwned' }, 'starts a program'],
    ['any program in a configuration file', { skill: 'program/invoice-totals', engine: undefined }, 'is not confirmed'],
    ['trust in a configuration file', { skill: 'powers/invoice-totals' }, 'is not confirmed'],
    ['NUL', { skill: 'invoice-totals\0' }, 'control characters'],
    ['a line end', { engine: 'anthropic:practice-1\n--trust-suite' }, 'control characters'],
    ['a flag as case', { cases: ['--trust-suite'] }, '--trust-suite'],
    ['a huge text', { skill: 'x'.repeat(5_000_000) }, '4096'],
    ['an unknown argument', { trust_suite: true }, 'trust_suite'],
    ['a negative budget', { budget_usd: -1 }, 'expected number to be >0'],
    ['no budget', { budget_tokens: undefined }, 'needs a budget'],
    ['an argument of another kind', { total_runs: 10 }, 'does not read total_runs'],
  ]
  test.each(plans)('plan refuses %s', async (_, given, message) => {
    const { isError, text } = await one.call('plan', { ...small, ...given })
    expect({ isError, text: text.slice(0, 2000) }).toMatchObject({
      isError: true,
      text: expect.stringContaining(message),
    })
    expect(text.length).toBeLessThan(5000)
  })
  test('negative control: the same without them is planned, also below a root of the client', async () => {
    const skill = path.join(allowed, 'invoice-totals')
    expect((await one.call('plan', { ...small, skill })).value).toMatchObject({ refusals: [] })
  })
  test.each(['', '../../etc/passwd', `bench-${'0'.repeat(32)}`, `bench-${'0'.repeat(32)}/../x`])(
    'unknown plan %j',
    async (plan_id) => {
      for (const name of ['bench', 'status', 'cancel'])
        expect(await one.call(name, { plan_id })).toMatchObject({ isError: true })
    },
  )
  test('reading tools keep to the folders too', async () => {
    for (const [name, given] of [
      ['check', { skill: outside }],
      ['check', { skill: 'link' }],
      ['result', { place: '/tmp' }],
      ['explain', { benchmark: '/etc' }],
      ['diff', { before: '/etc', after: '.' }],
    ] as const)
      expect(await one.call(name, given)).toMatchObject({
        isError: true,
        text: expect.stringContaining('outside of the'),
      })
  })
  test('a link out of the folders in the place of a file is not followed', async () => {
    const { cwd } = place
    for (const folder of ['linked/evals', 'measured']) mkdirSync(path.join(cwd, folder), { recursive: true })
    writeFileSync(path.join(cwd, 'linked/SKILL.md'), '---\nname: linked\ndescription: Adds numbers.\n---\n')
    for (const link of ['linked/evals/evals.json', 'measured/benchmark.json', 'measured/history.json'])
      symlinkSync('/etc/passwd', path.join(cwd, link))
    for (const [name, given] of [
      ['check', { skill: 'linked' }],
      ['plan', { ...small, skill: 'linked' }],
      ['plan', { kind: 'compare', benchmark: 'measured', budget_usd: 1 }],
      ['result', { place: 'measured' }],
      ['result', { place: 'measured', kind: 'session' }],
      ['explain', { benchmark: 'measured' }],
      ['diff', { before: 'measured', after: 'measured' }],
    ] as const) {
      const { isError, text } = await one.call(name, given)
      expect({ name, isError, text }).toMatchObject({
        name,
        isError: true,
        text: expect.stringContaining('outside of'),
      })
      expect(text).not.toContain('root:')
    }
  })
  test('a resource that leads out is none; control characters are visible', async () => {
    const id = encodeURIComponent('workspaces/x/benchmarks/2026-01-15T10-30-00Z')
    const read = (uri: string) => one.client.readResource({ uri })
    const { contents } = await read(`whetstone://benchmarks/${id}/benchmark.md`)
    expect(contents[0]).toMatchObject({ text: 'a title ⟨U+001B⟩]0;pwned⟨U+0007⟩⟨U+202E⟩\n' })
    await expect(read(`whetstone://benchmarks/${id}/eval-1-x/with_skill/run-1/transcript.md`)).rejects.toThrow(
      'no such',
    )
    await expect(read(`whetstone://benchmarks/${encodeURIComponent('../..')}/benchmark.md`)).rejects.toThrow(
      'outside of',
    )
  })
  test('a hundred calls at once are all answered, and bench of one plan is one question', async () => {
    const { value } = await one.call('plan', small)
    const before = { questions, asked: practice.asked() }
    const calls = Array.from({ length: 100 }, (_, at) => {
      if (at % 20 === 0) return one.call('plan', small)
      if (at % 4 === 1) return one.call('bench', { plan_id: value.plan_id })
      return at % 2 === 0 ? one.call('check', { skill: outside }) : one.call('status', { plan_id: value.plan_id })
    })
    const answers = await Promise.all(calls)
    expect(answers.filter(({ isError }) => !isError).length).toBe(5 + 25)
    expect({ questions: questions - before.questions, asked: practice.asked() }).toEqual({
      questions: 1,
      asked: before.asked,
    })
  })
  test('the server still works, and nothing was started or written', async () => {
    expect((await one.call('check', { skill: 'invoice-totals' })).isError).toBe(false)
    expect(practice.asked()).toBe(0)
    expect(one.said.stderr).toBe('')
    expect(readdirSync(path.dirname(outside))).toEqual(['invoice-totals'])
  })
})

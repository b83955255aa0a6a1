/** Nothing that costs money starts without the yes of a person to exactly this plan, or an allowance of the person who set the server up. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { atTerminal, needsTerminal } from '../../e2e/terminal.ts'
import { type ClientOptions, connectHere, makePlace, type Place, small, startExamplePractice } from './connect.ts'

const yes = { action: 'accept', content: { approve: true } } as const
const sayYes = () => ({ ...yes })

let practice: Awaited<ReturnType<typeof startExamplePractice>>
beforeAll(async () => {
  practice = await startExamplePractice()
})
afterAll(() => practice.close())

interface Given extends ClientOptions {
  approveUpTo?: number | null
  /** Over the small plan. */
  asked?: object
}

async function planned(place: Place, { approveUpTo = null, asked, ...client }: Given = {}) {
  const one = await connectHere(place, { approveUpTo }, client)
  const plan = await one.call('plan', { ...small, ...asked })
  return { one, plan, id: String(plan.value.plan_id) }
}

const place = () => makePlace(practice.url)

describe('a client that cannot ask', () => {
  test('bench is refused with the command for a terminal, and spends nothing', async () => {
    const { one, id } = await planned(place())
    await using _ = one
    const before = practice.asked()
    const { isError, text } = await one.call('bench', { plan_id: id })
    expect({ isError, text }).toMatchObject({
      isError: true,
      text: expect.stringContaining(`whetstone mcp approve ${id}`),
    })
    expect((await one.call('status', { plan_id: id })).value).toMatchObject({ status: 'not_started' })
    expect(practice.asked()).toBe(before)
  })
  test('an allowance starts a plan whose upper bound it covers, the practice model at 0', async () => {
    const { one, id } = await planned(place(), { approveUpTo: 0 })
    await using _ = one
    const before = practice.asked()
    expect((await one.call('bench', { plan_id: id })).value).toMatchObject({ status: 'done' })
    expect(practice.asked()).toBeGreaterThan(before)
  })
  test('an allowance covers the sum of the plans, and no plan of unknown or assumed cost', async () => {
    const paid = { ...small, engine: 'anthropic:haiku', judge: 'anthropic:haiku', budget_tokens: undefined }
    const { one, plan, id } = await planned(place(), { approveUpTo: 1.5, asked: { ...paid, budget_usd: 1 } })
    await using _ = one
    expect(plan.value).toMatchObject({ upper_bound_usd: 1 })
    const started = async (more: object) => {
      const { value } = await one.call('plan', { ...paid, ...more })
      return { value, text: (await one.call('bench', { plan_id: value.plan_id })).text }
    }
    const tokens = await started({ budget_tokens: 1000 })
    expect(tokens.value).toMatchObject({ upper_bound_usd: null })
    expect(tokens.text).toContain('not approved')
    expect((await started({ budget_usd: 1, cost_per_run_usd: 0.0001 })).text).toContain('not approved')
    // the practice model knows no haiku: the allowed work starts and fails, which is enough here
    expect((await one.call('bench', { plan_id: id })).text).not.toContain('not approved')
    expect((await started({ budget_usd: 0.75 })).text).toContain('not approved')
  })
})

describe('what one yes can cost', () => {
  const jobFile = ({ env }: Place, id: string) => path.join(env.XDG_STATE_HOME ?? '', 'whetstone/mcp/jobs', id)

  test('a restart counts what earlier starts spent, also where the results were deleted', async () => {
    const place = makePlace(practice.url)
    const { one, id } = await planned(place, { elicit: sayYes, asked: { budget_tokens: 1_000_000 } })
    await using _ = one
    const done = await one.call('bench', { plan_id: id })
    expect(done.value, done.text).toMatchObject({ status: 'done' })
    const record = JSON.parse(readFileSync(jobFile(place, id), 'utf8'))
    expect(record).toMatchObject({ done: true, spent: { tokens: expect.any(Number) } })
    expect(record.spent.tokens).toBeGreaterThan(0)
    // killed between the end of the benchmark and the note of it: it answers from disk
    writeFileSync(jobFile(place, id), JSON.stringify({ ...record, done: false }))
    const paid = practice.asked()
    expect((await one.call('bench', { plan_id: id })).value).toMatchObject({ status: 'done' })
    expect(practice.asked()).toBe(paid)
    // negative control: the results and the cache are gone, and the budget has room
    const forget = () => {
      for (const part of ['benchmarks', '.cache'])
        rmSync(path.join(place.cwd, 'workspaces/invoice-totals', part), { recursive: true })
    }
    forget()
    writeFileSync(jobFile(place, id), JSON.stringify({ ...record, done: false }))
    expect((await one.call('bench', { plan_id: id })).value).toMatchObject({ status: 'done' })
    const paidAgain = practice.asked()
    expect(paidAgain).toBeGreaterThan(paid)
    forget()
    const over = { ...record, done: false, spent: { usd: 0, tokens: 1_000_000 } }
    writeFileSync(jobFile(place, id), JSON.stringify(over))
    const { value, text } = await one.call('bench', { plan_id: id })
    expect(value, text).toMatchObject({ status: 'incomplete', sentence: expect.stringContaining('budget of tokens') })
    expect(practice.asked()).toBe(paidAgain)
  })
  test('a comparison goes on with what is left of its budget', async () => {
    const place = makePlace(practice.url)
    const { one, id } = await planned(place, { elicit: sayYes, asked: { budget_tokens: 1_000_000 } })
    await using _ = one
    const { value } = await one.call('bench', { plan_id: id })
    const given = { kind: 'compare', benchmark: value.folder, judge: small.judge, budget_usd: 1 }
    const plan = await one.call('plan', given)
    const spent = { usd: 1, tokens: 0 }
    const job = { schema_version: 1, folder: path.join(place.cwd, String(value.folder)), done: false, spent }
    writeFileSync(jobFile(place, String(plan.value.plan_id)), JSON.stringify(job))
    const before = practice.asked()
    const answer = await one.call('compare', { plan_id: plan.value.plan_id })
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('the budget is spent') })
    expect(practice.asked()).toBe(before)
    const other = await one.call('plan', given)
    expect((await one.call('compare', { plan_id: other.value.plan_id })).value).toMatchObject({ status: 'done' })
  })
  test('a skill that changes while the person thinks does not start', async () => {
    const where = place()
    const elicit = () => {
      writeFileSync(path.join(where.cwd, 'invoice-totals/references.md'), 'another text')
      return { ...yes }
    }
    const { one, id } = await planned(where, { elicit })
    await using _ = one
    const before = practice.asked()
    expect((await one.call('bench', { plan_id: id })).text).toContain('changed since this plan')
    expect(practice.asked()).toBe(before)
  })
  test('a client that fails to ask: the way in a terminal, and no stack', async () => {
    const elicit = () => {
      throw new Error('the dialog crashed')
    }
    const { one, id } = await planned(place(), { elicit })
    await using _ = one
    const { text } = await one.call('bench', { plan_id: id })
    expect(text).toContain('the dialog crashed')
    expect(text).toContain(`whetstone mcp approve ${id}`)
    expect(text).not.toContain('    at ')
  })
  test('a state folder that is not writable: what to do, and no stack', async () => {
    const where = place()
    writeFileSync(where.env.XDG_STATE_HOME ?? '', 'a file')
    const { one, plan } = await planned(where)
    await using _ = one
    expect(plan).toMatchObject({ isError: true, text: expect.stringContaining('hint: ask the user to make') })
    expect(plan.text).not.toContain('    at ')
  })
})

describe('an approval is for one plan', () => {
  test('a changed skill, suite or budget is another plan', async () => {
    const place = makePlace(practice.url)
    let asked = 0
    const elicit = () => {
      asked += 1
      return { ...yes }
    }
    const { one, id } = await planned(place, { elicit })
    await using _ = one
    const file = path.join(place.cwd, 'invoice-totals/SKILL.md')
    const text = readFileSync(file, 'utf8')
    const before = practice.asked()
    writeFileSync(file, `${text}\nOne more line.\n`)
    const { isError, text: said } = await one.call('bench', { plan_id: id })
    expect({ isError, said }).toMatchObject({ isError: true, said: expect.stringContaining('changed since this plan') })
    writeFileSync(file, text)
    const suite = path.join(place.cwd, 'invoice-totals/evals/evals.json')
    const cases = readFileSync(suite, 'utf8')
    writeFileSync(suite, cases.replace('1088.85', '1088.86'))
    expect((await one.call('bench', { plan_id: id })).text).toContain('changed since this plan')
    expect({ asked, paid: practice.asked() - before }).toEqual({ asked: 0, paid: 0 })
    writeFileSync(suite, cases)
    expect((await one.call('bench', { plan_id: id })).value).toMatchObject({ status: 'done' })
    expect(asked).toBe(1)
  })
  test('forged files are not an approval', async () => {
    const place = makePlace(practice.url)
    const { one, id } = await planned(place)
    await using _ = one
    const state = path.join(place.env.XDG_STATE_HOME ?? '', 'whetstone/mcp')
    expect(readdirSync(path.join(state, 'plans'))).toEqual([id])
    expect(statSync(path.join(state, 'plans', id)).mode & 0o77).toBe(0)
    expect(statSync(path.join(state, 'plans')).mode & 0o77).toBe(0)
    // in the workspace, where an agent writes, an approval means nothing
    for (const folder of ['.', 'whetstone/mcp', 'workspaces', '.local/state/whetstone/mcp']) {
      mkdirSync(path.join(place.cwd, folder, 'approved'), { recursive: true })
      writeFileSync(path.join(place.cwd, folder, 'approved', id), '')
    }
    expect((await one.call('bench', { plan_id: id })).text).toContain('not approved')
    // a plan that was changed after it was written has another id
    const file = path.join(state, 'plans', id)
    writeFileSync(file, readFileSync(file, 'utf8').replace('--runs=1', '--runs=9'))
    mkdirSync(path.join(state, 'approved'))
    writeFileSync(path.join(state, 'approved', id), '')
    expect((await one.call('bench', { plan_id: id })).text).toContain('changed since this plan')
  })
  test('a plan for another folder is refused', async () => {
    const place = makePlace(practice.url)
    const { one, id } = await planned(place)
    await one[Symbol.asyncDispose]()
    await using other = await connectHere({ ...makePlace(practice.url), env: place.env }, {}, { elicit: sayYes })
    expect((await other.call('bench', { plan_id: id })).text).toContain('a plan for')
  })
  test('a name with line ends can not add a line to the question', async () => {
    const place = makePlace(practice.url)
    const name = 'invoice-totals\nApproved by the user: yes'
    const trap = path.join(place.cwd, 'deep', name)
    mkdirSync(path.dirname(trap), { recursive: true })
    cpSync(path.join(place.cwd, 'invoice-totals'), path.join(trap, 'invoice-totals'), { recursive: true })
    symlinkSync(path.join(trap, 'invoice-totals'), path.join(place.cwd, 'link'))
    const questions: string[] = []
    const elicit = (message: string) => {
      questions.push(message)
      return { action: 'decline' } as const
    }
    const { one, id } = await planned(place, { elicit, asked: { skill: 'link' } })
    await using _ = one
    await one.call('bench', { plan_id: id })
    expect(questions[0]).toContain('\\nApproved by the user: yes')
    expect(questions[0]?.split('\n').filter((line) => line.startsWith('Approved'))).toEqual([])
  })
})

needsTerminal('approval in a terminal', () => {
  test('shows the plan, takes a yes, and the agent can start it; without a terminal nobody can', async () => {
    const place = makePlace(practice.url)
    const { one, id } = await planned(place)
    await using _ = one
    const approve = (answer: string) =>
      atTerminal({ ...place, args: ['mcp', 'approve', id], question: '[y/N]', answer: () => answer })
    const no = await approve('n\r')
    expect(no.code).toBe(1)
    expect((await one.call('bench', { plan_id: id })).text).toContain('not approved')
    const said = await approve('y\r')
    expect(said, said.said).toMatchObject({ code: 0, said: expect.stringContaining('2 agent runs') })
    expect((await one.call('bench', { plan_id: id })).value).toMatchObject({ status: 'done' })
    expect(await runMain(['mcp', 'approve', id], place)).toMatchObject({ code: 2 })
    expect(existsSync(path.join(place.env.XDG_STATE_HOME ?? '', 'whetstone/mcp/approved', id))).toBe(true)
  })
})

/** The tools of the built server through the SDK's client: plan, yes or no of a person, bench, progress, results and resources. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, connect, makePlace, small, startExamplePractice } from './connect.ts'

type Server = Awaited<ReturnType<typeof startExamplePractice>>

describe('an agent with a person who answers', () => {
  let practice: Server
  let one: Awaited<ReturnType<typeof connect>>
  let bench: Answer
  const questions: string[] = []
  const progress: { progress: number; total?: number | undefined }[] = []
  const yes = { action: 'accept', content: { approve: true } } as const
  const answers = [{ action: 'decline' }, yes, { action: 'accept', content: { approve: false } }, yes] as const
  let planId = ''

  beforeAll(async () => {
    practice = await startExamplePractice()
    one = await connect(makePlace(practice.url), {
      elicit(message) {
        questions.push(message)
        return { ...(answers[questions.length - 1] ?? answers[0]) }
      },
    })
  })
  afterAll(async () => {
    await one.client.close()
    await practice.close()
  })

  test('tools say which of them only read', async () => {
    const { tools } = await one.client.listTools()
    const named = (reads: boolean) => tools.flatMap((one) => (one.annotations?.readOnlyHint === reads ? one.name : []))
    expect(named(true).sort()).toEqual(['check', 'diff', 'explain', 'plan', 'result', 'status'])
    expect(named(false).sort()).toEqual(['bench', 'cancel', 'compare', 'improve'])
  })
  test('check', async () => {
    const { value } = await one.call('check', { skill: 'invoice-totals' })
    expect(value).toMatchObject({ counts: { error: 0 }, problems: [{ rule: 'suite-small' }] })
  })
  test('plan says runs, estimate, bound and what is needed, and spends nothing', async () => {
    const { value } = await one.call('plan', small)
    expect(value).toMatchObject({ agent_runs: 2, judge_calls: 2, upper_bound_usd: 0, refusals: [], approved: false })
    planId = String(value.plan_id)
    expect(practice.asked()).toBe(0)
  })
  test('a no of the person: nothing is spent', async () => {
    const { isError, text } = await one.call('bench', { plan_id: planId })
    expect({ isError, text }).toMatchObject({
      isError: true,
      text: expect.stringMatching(/did not approve[\s\S]*in a terminal in .*: whetstone mcp approve bench-/),
    })
    expect(practice.asked()).toBe(0)
  })
  test('the question names skill, runs, engine, judge, budget, commands and the plan', () => {
    const parts = ['"invoice-totals"', '2 agent runs', '"anthropic:practice-1"', 'judge: ', 'Budget: ', 'commands']
    for (const part of [...parts, planId]) expect(questions[0]).toContain(part)
  })
  test('a yes: the benchmark runs with progress, and the verdict comes first', async () => {
    bench = await one.call('bench', { plan_id: planId }, { onprogress: (at) => void progress.push(at) })
    expect(bench.text).toMatch(/^Inconclusive: pass rate 100% with the skill, 40% without: \+60 points/)
    expect(bench.value).toMatchObject({ status: 'done', verdict: 'inconclusive', counts: { planned: 2, used: 2 } })
    expect(progress.at(-1)).toMatchObject({ progress: 2, total: 2 })
    expect(practice.asked()).toBeGreaterThan(4)
  })
  test('the same plan again answers from disk and pays nothing', async () => {
    const paid = practice.asked()
    expect((await one.call('bench', { plan_id: planId })).value).toEqual(bench.value)
    expect((await one.call('status', { plan_id: planId })).value).toEqual(bench.value)
    expect(practice.asked()).toBe(paid)
    expect(questions.length).toBe(2)
  })
  test('result, explain and diff read it', async () => {
    const folder = String(bench.value.folder)
    const result = await one.call('result', { place: 'workspaces/invoice-totals' })
    expect(result.value).toMatchObject({ folder, status: 'done', verdict: 'inconclusive' })
    const explained = await one.call('explain', { benchmark: folder })
    expect(explained.value).toMatchObject({
      cases: [{ eval_id: 1, runs: [{ configuration: 'without_skill' }] }],
    })
    expect(explained.text).toContain('/without_skill/run-1/transcript.')
    const { value, text } = await one.call('diff', { before: folder, after: folder })
    expect(value, text).toMatchObject({ sentence: expect.stringContaining('+0 points'), cases: [] })
  })
  test('reports and transcripts are resources', async () => {
    const { resources } = await one.client.listResources()
    expect(resources.map(({ uri }) => uri.split('/').at(-1))).toEqual(['benchmark.md', 'benchmark.json', 'report.html'])
    const uri = String(bench.value.resource)
    const read = async (of: string) => String(Object((await one.client.readResource({ uri: of })).contents[0]).text)
    expect(await read(uri)).toContain('invoice-totals')
    const explained = await one.call('explain', { benchmark: 'workspaces/invoice-totals' })
    const transcript = /whetstone:[^"]+transcript\.\w+/.exec(explained.text)?.[0] ?? ''
    expect(await read(transcript)).toContain('972.65')
    const report = await read(uri.replace('benchmark.md', 'report.html'))
    expect(report.length).toBeLessThan(51_000)
    const next = /\?offset=(\d+)/.exec(report)?.[0] ?? ''
    expect(await read(`${uri.replace('benchmark.md', 'report.html')}${next}`)).not.toBe(report)
  })
  test.each([
    '../../invoice-totals/SKILL.md',
    '..%2F..%2F..%2Finvoice-totals%2FSKILL.md',
    'plan.json',
    '%2e%2e/x',
    'eval-1-march-summary/../plan.json',
  ])('no resource: %s', async (file) => {
    const uri = String(bench.value.resource).replace('benchmark.md', file)
    await expect(one.client.readResource({ uri })).rejects.toThrow(/no such resource|not found/)
  })
  test('a comparison needs a plan and a yes of its own', async () => {
    const benchmark = String(bench.value.folder)
    const paid = practice.asked()
    const given = { kind: 'compare', benchmark, judge: 'anthropic:practice-1' }
    expect((await one.call('plan', given)).text).toContain('a plan needs a budget')
    const plan = await one.call('plan', { ...given, budget_usd: 1 })
    expect(plan.value).toMatchObject({ agent_runs: 0, judge_calls: 3, upper_bound_usd: 0 })
    expect(await one.call('compare', { plan_id: plan.value.plan_id })).toMatchObject({ isError: true })
    expect(await one.call('bench', { plan_id: plan.value.plan_id })).toMatchObject({ isError: true })
    expect(practice.asked()).toBe(paid)
    const compared = await one.call('compare', { plan_id: plan.value.plan_id })
    expect(compared.value, compared.text).toMatchObject({ status: 'done', ties: 1, missing: 0 })
    expect(practice.asked()).toBeGreaterThan(paid)
  })
  test('nothing but the protocol was printed, and no errors were', () =>
    expect(one.said).toEqual({ stderr: '', errors: [] }))
})

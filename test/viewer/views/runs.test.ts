/** The list of runs, a case and a run: what is found, what each says, what was recorded and what was not. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ConversationRecord } from '../../../schemas/conversation.ts'
import { metrics } from '../../../schemas/metrics.ts'
import { runRecord } from '../../../schemas/run.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'
import { record } from '../../fixtures/record.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { drawPages } from '../draw.ts'
import { foreign } from '../foreign.ts'
import { files, benchmark as full, runs } from '../full_workspace.ts'
import { everything, stageSmall } from '../sample.ts'
import { type Staged, stage } from '../stage.ts'

const draw = drawPages()

test('a case shows the notes that its suite has on it, and one without any shows none', async () => {
  const small = await stageSmall()
  const notes = (page: { all(selector: string): unknown[]; text(selector: string): string }) =>
    page.all('details.card').length === 0 ? '' : page.text('details.card')
  expect(notes(await draw(small, '#/case/1'))).toMatch(/^Notes of the suite.*purpose.*sums/s)
  expect(notes(await draw(small, '#/case/2'))).toBe('')
})

describe('the list', () => {
  let small: Staged
  let all: Staged
  beforeAll(async () => {
    small = await stageSmall()
    all = await stage({ benchmark: everything })
  })
  const found = (query: string, which = small) => draw(which, `#/runs?q=${encodeURIComponent(query)}`)

  test.each([
    ['status:failed', 6],
    ['arm:with_skill', 4],
    ['-arm:with_skill case:2', 2],
    ['rate>0.5', 4],
    ['is:regression', 4],
    ['is:unverified', 2],
    ['case-1', 4],
    ['nothing-like-it', 0],
    ['failed:"a source"', 2],
    ['-failed:source', 6],
    ['passed:source', 0],
    ['passed:"FILE was"', 2],
    ['rate>50%', 4],
    ['tokens>=1,000 time<1,000s', 8],
  ])('%s finds %i runs', async (query, number) => {
    const page = await found(query)
    expect([page.all('.run-row').length, page.all('.not-understood')]).toEqual([number, []])
  })
  test.each(['-time>soon', 'is:flip'])('%s is not understood, and said to be', async (odd) => {
    expect((await found(`case:1 ${odd}`)).text('.not-understood')).toContain(`${odd} is not understood`)
  })
  test('a run that timed out is found, and says so', async () => {
    expect((await found('status:timed_out', all)).texts('.run-row')).toEqual([expect.stringContaining('timed out')])
  })
  test('every filter says how many runs it shows, one that shows none is there only while it is asked for', async () => {
    const asked = { record: { asked_user: { via: 'AskUserQuestion', question: 'Which format?' } } }
    const without = arm(1, 'without_skill', ['+', '+'])
    const some = await stage({
      benchmark: aggregate(inputOf([...arm(1, 'with_skill', ['-', '-'], asked), ...without])),
    })
    const chips = async (hash: string, which = some) => (await draw(which, hash)).texts('.filters button')
    const filters = await chips('#/runs')
    expect(filters).toEqual(['all 4', 'passed 2', 'failed 2', 'asked the user 2', 'regressions 4'])
    for (const [index, filter] of filters.entries()) {
      const page = await draw(some, '#/runs')
      page.all('.filters button')[index]?.setAttribute('id', 'it')
      await page.click('#it')
      expect([filter, page.all('.run-row').length]).toEqual([filter, Number(filter.split(' ').at(-1))])
      expect(page.one('#it').getAttribute('aria-pressed')).toBe('true')
    }
    expect(await chips('#/runs?q=status:failed')).toEqual(filters)
    expect(await chips('#/runs')).not.toContain('suspicious 0')
    expect(await chips('#/runs?q=is:suspicious')).toContain('suspicious 0')
    const page = await draw(some, '#/run/1/with_skill/1')
    expect(page.text('h1')).toContain('asked the user')
    expect((await draw(some, '#/run/1/without_skill/1')).text('h1')).not.toContain('asked the user')
  })
})

describe('what stayed undecided', () => {
  let staged: Staged
  beforeAll(async () => {
    const benchmark = aggregate(
      inputOf([...arm(1, 'with_skill', ['+?']), ...arm(1, 'without_skill', ['+?', '+?', '+?', '+?'])]),
    )
    staged = await stage({ benchmark, runs: [{ eval_id: 1, configuration: 'with_skill', run_number: 1 }] })
  })
  test('does not look perfect: in the case, in the run, in the list', async () => {
    const page = await draw(staged, '#/case/1')
    expect(page.text('h1')).toContain('5 of 10 undecided')
    expect(page.all('.pip.undecided')).toHaveLength(5)
    const run = await draw(staged, '#/run/1/with_skill/1')
    expect(run.all('h1 .chip.pass')).toEqual([])
    expect(run.text('h1')).toContain('1 of 2 undecided')
    expect(run.text('.verdicts .undecided')).toContain('no usable answer after one repair')
    const list = await draw(staged, '#/runs?q=is:error')
    expect(list.texts('.run-row')[0]).toContain('1 of 2 undecided')
    expect(list.all('.run-row')).toHaveLength(5)
    expect((await draw(staged, '#/runs?q=status:passed')).all('.run-row')).toEqual([])
  })
})

describe('a case', () => {
  test('the difference of an expectation has its unit; of one configuration there is none', async () => {
    const page = await draw(await stage({ benchmark: full }), '#/case/1')
    expect(page.texts('.matrix .points')[0]).toBe('+50 points')
    const { metadata, ...rest } = aggregate(inputOf(arm(1, 'with_skill', ['+-', '++'])))
    const alone = { ...rest, metadata: { ...metadata, baseline_configuration: null } }
    expect((await draw(await stage({ benchmark: alone }), '#/case/1')).all('.matrix .points')).toEqual([])
  })
  test('its prompt, statements by run, and the two sides with their differences', async () => {
    const page = await draw(await stageSmall(), '#/case/1?as=diff')
    expect(page.text()).toContain('Add up the sales')
    expect(page.all('.matrix .pip.pass').length).toBeGreaterThan(0)
    expect(page.texts('.diff .gone, .diff .new')).toEqual(['− by with_skill\n', '+ by without_skill\n'])
  })
  test('the sides open with the first pair in which a run fails', async () => {
    const lines = [...arm(1, 'with_skill', ['+', '-', '-']), ...arm(1, 'without_skill', ['+', '+', '-'])]
    const runs = lines.map(({ evalId, arm: configuration, run }) => ({
      ...{ eval_id: evalId, configuration, run_number: run },
      outputs: { 'a.txt': `${configuration} ${run}\n` },
    }))
    const page = await draw(await stage({ benchmark: aggregate(inputOf(lines)), runs }), '#/case/1?as=diff')
    expect(page.texts('.diff .gone, .diff .new')).toEqual(['− with_skill 2\n', '+ without_skill 2\n'])
  })
  test('of files that are cut no more is compared than the page holds; equal ones are known by their hash', async () => {
    const benchmark = aggregate(inputOf([...arm(1, 'with_skill', ['+']), ...arm(1, 'without_skill', ['-'])]))
    // three bytes a character: what the page holds of it is short enough to compare
    const far = `${'汉'.repeat(50_000)}\n`.repeat(2)
    const run = (configuration: string, end: string) => ({
      ...{ eval_id: 1, configuration, run_number: 1 },
      outputs: { 'cut.txt': 'a line\n'.repeat(40_000), 'far.txt': `${far}${end}` },
    })
    const both = [run('with_skill', 'one'), run('without_skill', 'two')]
    const page = await draw(await stage({ benchmark, runs: both }), '#/case/1?as=diff')
    expect(page.texts('.pair').slice(-2)).toEqual([
      'cut.txtNo difference.',
      expect.stringMatching(/only the start of both.*No difference as far as the page holds them/),
    ])
  })
})

describe('a run', () => {
  test('the transcript tells calls, hooks and errors apart', async () => {
    const page = await draw(await stageSmall(), '#/run/1/with_skill/1')
    expect(page.text('.event.tool_call summary')).toMatch(/Read.*3\.0 s · 13 characters/s)
    expect(page.all('.event.bad')).toHaveLength(2)
    expect(page.text('.verdicts')).toContain('unverified')
  })
  test('beside the iteration before: its note and its answer; one that was not there has no such part', async () => {
    const staged = await stage({ benchmark: full, runs, files })
    const page = await draw(staged, '#/run/1/with_skill/1?tab=previous')
    expect(page.text('.notebox blockquote')).toContain('too long')
    expect(page.text('#part')).toContain('2026-01-14T10-00-00Z')
    expect(page.text('#part')).toContain('it was done')
    expect((await draw(staged, '#/run/1/without_skill/1')).texts('[role=tab]')).not.toContain('Previous')
    expect((await draw(staged, '#/case/1')).text('.notebox blockquote')).toContain('a hard case')
  })
  test('JSON with numbers that a browser would change is its source, other JSON a tree; what is hidden says why', async () => {
    const benchmark = aggregate(inputOf([...arm(1, 'with_skill', ['+']), ...arm(1, 'without_skill', ['-'])]))
    const outputs = {
      'big.json': '{"id": 12345678901234567890, "sum": 0.1}',
      'exact.json': '{"id": 1234567890123456, "sum": 1.50, "far": 1e21}',
      'cut.txt': 'a line\n'.repeat(40_000),
      'latin.csv': new Uint8Array(Array.from({ length: 400 }, () => 0xe9)),
      'blob.bin': new Uint8Array([0, 1, 2, 255]),
    }
    const run = { eval_id: 1, configuration: 'with_skill', run_number: 1, outputs }
    const page = await draw(await stage({ benchmark, runs: [run] }), '#/run/1/with_skill/1?tab=outputs')
    const names = page.texts('.output h3 bdi')
    const output = (name: string) => page.all('.output')[names.indexOf(name)]?.textContent
    expect(output('big.json')).toContain('12345678901234567890')
    expect(page.all('.output .tree')).toHaveLength(1)
    expect(output('cut.txt')).toContain('eval-1/with_skill/run-1/outputs/cut.txt')
    expect(output('latin.csv')).toContain('not UTF-8')
    expect(output('blob.bin')).toContain('binary')
  })
})

describe('a run with several messages', () => {
  const at = '2026-01-15T10:30:00.000Z'
  const played: ConversationRecord = {
    turns: [
      { prompt: 'Interview me and write a brief for my trip.', answer: 'Where do you want to go, and when?', step: 1 },
      { prompt: 'To Lisbon, in the first week of May.', answer: 'How many people travel?\n\n- one\n- more', step: 2 },
      { prompt: 'Two. <b>No</b> flights before nine, please.', answer: 'The brief is in brief.md.', step: 4 },
    ],
    ended: 'goal_met',
    user: { engine: 'anthropic', model: 'claude-haiku-4-5', calls: 4, tokens: 5120, cost_usd: 0.0042, asked_again: 1 },
  }
  const scripted: ConversationRecord = {
    turns: [{ prompt: 'Interview me.', answer: 'Here is a brief for a trip.', step: 1 }],
    ended: 'agent_did_not_ask',
  }
  const eventsOf = ({ turns }: ConversationRecord) =>
    turns.flatMap(({ prompt, answer, step }, index) => [
      { type: 'user', at, step: index === 0 ? 0 : step - 1, text: prompt },
      ...(index === 1 ? [{ type: 'user', at, step, text: 'Reminder: answer in JSON.' }] : []),
      { type: 'assistant', at, step, text: answer },
    ])
  const expectations = [
    { text: 'It asks for the place', passed: true, evidence: 'it says so', decided_by: 'judge', turn: 1 },
    { text: 'It asks how many travel', passed: false, evidence: 'no', decided_by: 'check:turn_reached', turn: 2 },
    { text: 'brief.md names Lisbon', passed: true, evidence: 'brief.md says "Lisbon"', decided_by: 'judge' },
  ]
  let staged: Staged
  beforeAll(async () => {
    const benchmark = aggregate(
      inputOf([
        ...arm(1, 'with_skill', ['+-+'], { grading: { expectations }, record: { conversation: played } }),
        ...arm(1, 'without_skill', ['---'], { record: { conversation: scripted } }),
        ...arm(2, 'with_skill', ['+']),
        ...arm(2, 'without_skill', ['-']),
      ]),
    )
    const run = (configuration: string, conversation: ConversationRecord) => ({
      ...{ eval_id: 1, configuration, run_number: 1, events: eventsOf(conversation) },
      record: runRecord.parse({ ...record({ final_response: conversation.turns.at(-1)?.answer ?? '' }), conversation }),
    })
    const single = { eval_id: 2, configuration: 'with_skill', run_number: 1, events: eventsOf(scripted) }
    staged = await stage({ benchmark, runs: [run('with_skill', played), run('without_skill', scripted), single] })
  })

  test('shows the dialogue, its end, and the model that played the user', async () => {
    const page = await draw(staged, '#/run/1/with_skill/1')
    expect(page.texts('.said .text')).toEqual(played.turns.flatMap(({ prompt, answer }) => [prompt, answer]))
    expect(page.texts('.said .kind')).toEqual([1, 2, 3].flatMap((number) => [`message ${number}`, `answer ${number}`]))
    const part = page.text('#part')
    expect(part).toContain('Ended: the goal of the user was met.')
    expect(part).toContain('anthropic:claude-haiku-4-5: 4 calls, 5,120 tokens, $0.0042')
    expect(part).toContain('1 message said more than the user may, and was asked again.')
    expect(page.texts('.verdicts .tag')).toContain('about answer 2')
  })
  test('a scripted one has no model, and its end says what was not sent', async () => {
    const part = (await draw(staged, '#/run/1/without_skill/1')).text('#part')
    expect(part).toContain('Ended: the agent did not ask')
    expect(part).not.toContain('played by')
  })
  test('the transcript numbers the messages, and not what the engine says as the user', async () => {
    const page = await draw(staged, '#/run/1/with_skill/1?tab=transcript')
    const kinds = page.texts('.event.user > .kind').map((kind) => kind.replace(/ *step \d+/, '').trim())
    expect(kinds).toEqual(['message 1', 'message 2', 'prompt', 'message 3'])
  })
  test('a run of one message has no such tab', async () => {
    expect((await draw(staged, '#/run/1/with_skill/1')).texts('[role=tab]')).toContain('Conversation 3')
    expect((await draw(staged, '#/run/2/with_skill/1')).texts('[role=tab]').join()).not.toContain('Conversation')
  })
})

describe('what nobody recorded is unknown, never a number', () => {
  const json = (...place: string[]) => JSON.parse(readFileSync(path.join(...place), 'utf8'))
  const viewed = async (folder: string) => {
    const seen = await runMain(['view', folder, '--no-open'])
    expect(seen.code, seen.stderr).toBe(0)
    return { report: path.join(folder, 'report.html') }
  }
  test('tool calls of an engine that shows none; what a check says is not there leads nowhere', async () => {
    const checks = [{ type: 'contains', value: 'hell' }]
    const skill = makeSkill([{ id: 1, name: 'first', prompt: 'Say hello', checks }])
    const workspace = path.join(fresh(), 'ws')
    const flags = ['--engine', tidyAgent, '--runs', '1', '--workspace', workspace, '--sandbox', 'off']
    await runMain(['bench', skill, ...flags])
    const [name = ''] = readdirSync(path.join(workspace, 'benchmarks'))
    const folder = path.join(workspace, 'benchmarks', name)
    const page = await draw({ report: path.join(folder, 'report.html') }, '#/run/1/with_skill/1')
    expect(page.text('dl.strip')).toMatch(/tokensnot recordedtool callsnot recordedcostnot recorded/)
    expect(json(folder, 'benchmark.json').runs[0].result).not.toHaveProperty('tool_calls')
    const counted = metrics.parse(json(folder, 'eval-1-first/with_skill/run-1/outputs/metrics.json'))
    expect(counted).toMatchObject({ tool_calls: {}, total_tool_calls: 0, tools_shown: false })
    expect(page.text('.verdicts .evidence')).toBe('"hell" is not in the final answer; it begins "TIDY"')
    expect(page.texts('.verdicts .evidence .quote')).toEqual(['"TIDY"'])
  })
  test('an answer that another tool did not keep was not recorded, rather than not given', async () => {
    const page = await draw(await viewed(foreign()), '#/case/1')
    expect(page.texts('.pair .empty')[0]).toBe('The final answer was not recorded.')
    const saying = foreign()
    writeFileSync(path.join(saying, 'first/with_skill/run-1/transcript.md'), 'It is tidy now.')
    const report = await viewed(saying)
    expect((await draw(report, '#/case/1')).texts('.pair .empty')[0]).toBe(
      'The final answer was not recorded by itself; see the transcript.',
    )
    expect((await draw(report, '#/run/1/with_skill/1')).text('#part')).toContain('It is tidy now.')
  })
})

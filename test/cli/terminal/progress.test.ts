/** What the live table knows and draws, and columns of a terminal. */
import { PassThrough, Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import type { RunSpec } from '../../../schemas/plan.ts'
import { liveView } from '../../../src/cli/terminal/live.ts'
import { liveBlock } from '../../../src/cli/terminal/live_block.ts'
import { advanceProgress, armRate, noProgress, timeLeft } from '../../../src/cli/terminal/progress.ts'
import {
  alignColumns,
  dollarsText,
  durationText,
  oneLine,
  terminalWidth,
  textWidth,
  wrapText,
} from '../../../src/cli/terminal/style.ts'
import type { EmittedEvent } from '../../../src/engines/engine.ts'
import { emitStep } from '../../../src/flows/run_events.ts'

const run = (evalId: number, configuration: string, number = 1) => ({
  run_id: `eval-${evalId}/${configuration}/run-${number}`,
  eval_id: evalId,
  eval_name: `case ${evalId}`,
  configuration,
  run_number: number,
})
const plan: Extract<FlowEvent, { type: 'plan_ready' }> = {
  type: 'plan_ready',
  folder: '/x',
  skill_name: 'tidy',
  engine: 'command',
  model: null,
  judge: 'anthropic',
  candidate: 'with_skill',
  baseline: 'without_skill',
  cases: [1, 2].map((eval_id) => ({ eval_id, eval_name: `case ${eval_id}` })),
  runs: 8,
  runs_per_case: 2,
  detectable: { power: 0.8, these_cases: 0.7, cases_like_these: null, cases: 2 },
  done: 0,
  choices: [],
  warnings: [],
  cannot_run: [],
}
const started = (...name: Parameters<typeof run>): FlowEvent => ({ type: 'run_started', ...run(...name) })
const finished = (
  name: ReturnType<typeof run>,
  more: Partial<Extract<FlowEvent, { type: 'run_finished' }>> = {},
): FlowEvent => ({
  type: 'run_finished',
  ...name,
  status: 'completed',
  kind: null,
  message: null,
  duration_ms: 1000,
  tokens: 50,
  cost_usd: 0.25,
  skill_read: null,
  ...more,
})
const graded = (name: ReturnType<typeof run>, pass_rate: number | null): FlowEvent => ({
  type: 'grade_finished',
  ...name,
  passed: 1,
  total: 2,
  pass_rate,
  judge_errors: 0,
  cost_usd: null,
})
const tall = Object.assign(new PassThrough(), { isTTY: false, columns: 100, rows: 40 }) as unknown as NodeJS.WriteStream
const state = (...events: FlowEvent[]) =>
  events.reduce((before, event) => advanceProgress(before, event, 0), noProgress)

describe('progress', () => {
  const both = state(
    plan,
    started(1, 'with_skill'),
    started(1, 'without_skill'),
    finished(run(1, 'with_skill')),
    finished(run(1, 'without_skill'), {
      status: 'failed',
      kind: 'crash',
      message: 'boom',
      tokens: null,
      cost_usd: null,
    }),
    graded(run(1, 'with_skill'), 0.5),
  )
  test('counts runs, tokens and known cost', () => expect(both).toMatchObject({ finished: 2, tokens: 50, usd: 0.25 }))
  test('has the mean of an arm, null before its first grade', () => {
    expect([armRate(both, 'with_skill'), armRate(both, 'without_skill')]).toEqual([0.5, null])
  })
  test('shows what each run does, and both clocks', () => {
    const step = { ...run(2, 'with_skill'), type: 'run_step', doing: 'waits for the model' } as const
    const at = (ms: number) => advanceProgress(advanceProgress(both, started(2, 'with_skill'), 0), step, ms)
    const lines = (now: number) => liveBlock(at(3000), { stream: tall, concurrency: 2 }, now).join('\n')
    expect(lines(3500)).toMatch(/◐ 2 .* · with_skill · run 1 +3\.5 s +waits for the model$/m)
    expect(lines(75_000)).toMatch(/◐ 2 .* · with_skill · run 1 +1:15 +waits for the model 1:12$/m)
    expect(advanceProgress(at(0), finished(run(2, 'with_skill'))).active.size).toBe(0)
  })
  test('a grade that decided nothing changes no rate', () => {
    expect(armRate(advanceProgress(both, graded(run(2, 'with_skill'), null)), 'with_skill')).toBe(0.5)
  })
  test('guesses the time left from whole runs with their grading, in rounds; it counts down while runs work', () => {
    const run1 = run(1, 'with_skill')
    const judged = [
      [started(1, 'with_skill'), 0],
      [finished(run1), 1000],
      [{ ...run1, type: 'run_step', doing: 'is graded' }, 5000], // the wait for a judge is not work
      [graded(run1, 1), 7000],
    ] as const
    const first = judged.reduce((before, [event, now]) => advanceProgress(before, event, now), state(plan))
    const starts = [started(2, 'with_skill'), started(2, 'without_skill')]
    const working = starts.reduce((before, event) => advanceProgress(before, event, 7000), first)
    const left = (now: number, width = 2, of = working) => timeLeft(of, width, now)
    expect([left(7000), left(7000, 3), left(8000, 3), left(7000, 10)]).toEqual([12_000, 9000, 8000, 3000])
    expect([7000, 8000, 60_000].map((now) => left(now, 7))).toEqual([3000, 3000, 3000]) // an idle worker waits for a run
    const last = { ...working, total: 3 }
    expect([7000, 8000, 60_000].map((now) => left(now, 2, last))).toEqual([3000, 2000, 0])
    expect([left(7000, 2, { ...first, total: 1 }), timeLeft(state(plan), 2, 0)]).toEqual([null, null])
  })
  test.each([
    [{ type: 'system', step: 0, subtype: 'init' }, 'waits for the model'],
    [{ type: 'system', step: 0, subtype: 'note' }, null],
    [{ type: 'tool_result', step: 1, id: 'a', name: 'Read', output: '', is_error: false }, 'waits for the model'],
    [{ type: 'tool_call', step: 1, id: 'a', name: 'Read', input: { file_path: '/x/SKILL.md' } }, 'Read SKILL.md'],
  ] as [EmittedEvent, string | null][])('after %j a run %s', (event, doing) => {
    const steps: FlowEvent[] = []
    emitStep({ emit: (step) => steps.push(step) }, run(1, 'with_skill') as RunSpec, event)
    expect(steps).toEqual(doing === null ? [] : [{ type: 'run_step', ...run(1, 'with_skill'), doing }])
  })
  test('unknown cost stays unknown', () =>
    expect(state(plan, finished(run(1, 'with_skill'), { cost_usd: null })).usd).toBeNull())
})

describe('the table', () => {
  const stream = Object.assign(new PassThrough(), {
    isTTY: false,
    columns: 60,
    rows: 24,
  }) as unknown as NodeJS.WriteStream
  const waiting: FlowEvent = { type: 'waiting', why: 'the provider', works: 1, until: null, gives_up_at: null }
  const pair = ['with_skill', 'without_skill'].map((arm) => graded(run(1, arm), 1))
  test('is never wider or taller than the terminal, whatever the names hold', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 10, max: 120 }),
        fc.integer({ min: 2, max: 50 }),
        (name, width, rows) => {
          const many = { ...plan, cases: Array.from({ length: 60 }, (_, eval_id) => ({ eval_id, eval_name: name })) }
          const lines = liveBlock(state(many, started(1, 'with_skill'), waiting, ...pair), {
            stream: Object.assign(stream, { columns: width, rows }),
            concurrency: 2,
          })
          expect(lines.length).toBeLessThan(rows)
          for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u)
          for (const line of lines) expect(stringWidth(line)).toBeLessThan(width)
        },
      ),
    )
  })
  test('counts what was done before in the cells too, and says of a case that it cannot run', () => {
    const resumed: FlowEvent = {
      ...plan,
      cases: [1, 2, 3].map((eval_id) => ({ eval_id, eval_name: `case ${eval_id}` })),
      done: 3,
      done_by_case: [
        { eval_id: 1, configuration: 'with_skill', runs: 2 },
        { eval_id: 1, configuration: 'without_skill', runs: 1 },
      ],
      cannot_run: [{ eval_id: 3, reason: 'no such file' }],
    }
    const wide = { stream: Object.assign(stream, { columns: 100, rows: 24 }), concurrency: 2 }
    const made = [started(1, 'without_skill', 2), finished(run(1, 'without_skill', 2))]
    const rows = liveBlock(state(resumed, graded(run(1, 'with_skill'), 1), ...made), wide).join('\n')
    expect(rows).toMatch(/1 case 1 +●● 2\/2 100% of 1 graded +●● 2\/2$/m)
    expect(rows).toMatch(/2 case 2 +·· 0\/2 +·· 0\/2$/m)
    expect(rows).toMatch(/3 case 3 +cannot run +cannot run$/m)
    expect(rows).toContain('4/8 runs')
  })
  test('is erased from the first column, wherever an echoed ^C left the cursor, and drawn again in the same write', () => {
    const writes: string[] = []
    const out = new Writable({ write: (chunk, _, done) => done(void writes.push(String(chunk))) })
    const terminal = Object.assign(out, { isTTY: true, columns: 80, rows: 24 }) as unknown as NodeJS.WriteStream
    const view = liveView({ stream: terminal, concurrency: 1 })
    view.on(plan)
    view.sayStopping('one')
    view.sayStopping('two')
    view.end()
    const erasing = writes.map((text) => text.replaceAll('\x1b', 'ESC')).filter((text) => text.includes('ESC[A'))
    expect(erasing.length).toBeGreaterThan(0)
    for (const text of erasing) expect(text).toMatch(/^\rESC\[2K(ESC\[AESC\[2K)+.+runs.+\n$/s)
  })
  test('is erased whole after the terminal became narrower, which wraps its lines', () => {
    const writes: string[] = []
    const out = new Writable({ write: (chunk, _, done) => done(void writes.push(String(chunk))) })
    const terminal = Object.assign(out, { isTTY: true, columns: 150, rows: 24 }) as unknown as NodeJS.WriteStream
    const view = liveView({ stream: terminal, concurrency: 1 })
    view.on(plan)
    view.sayStopping('one')
    const lines = stripVTControlCharacters(writes.at(-1) ?? '')
      .split('\n')
      .slice(1, -1) // without 'one'
    terminal.columns = 30
    view.end()
    const wrapped = lines.map((line) => Math.ceil(stringWidth(line) / 30))
    expect(Math.max(...wrapped)).toBeGreaterThan(1)
    expect(writes.at(-1)?.split('\x1b[A')).toHaveLength(1 + wrapped.reduce((sum, height) => sum + height))
  })
  test('in 60 columns shortens names and leaves out rates before it cuts a step or a time', () => {
    const narrow = { stream: Object.assign(stream, { columns: 60, rows: 12 }), concurrency: 2 }
    const named = { ...run(2, 'without_skill'), eval_name: 'april with a volume discount' }
    const step = { ...named, type: 'run_step', doing: 'waits for the model' } as const
    const many = { ...plan, cases: Array.from({ length: 7 }, (_, at) => ({ eval_id: at, eval_name: 'long name' })) }
    const busy = state(many, finished(run(1, 'with_skill')), ...pair, { ...step, type: 'run_started' }, step)
    const lines = liveBlock(busy, narrow, 500).join('\n')
    expect(lines).toMatch(/^◐ 2 ap… · without_skill · run 1 +0\.5 s +waits for the model$/m)
    expect(lines).toMatch(/^1\/8 runs · 2\/8 graded · 0\.5 s · about \d+\.?\d* s left$/m)
    expect(lines).toContain('… 1 more case\n')
    expect(liveBlock(busy, { ...narrow, isStopping: true }, 500).join('\n')).not.toContain('left')
  })
  test('shows the limit of the provider once it was met', () => {
    const wide = { stream: Object.assign(stream, { columns: 100, rows: 24 }), concurrency: 2 }
    const limited = state(plan, { type: 'limit_changed', limit: 5, reason: 'refused (429)' })
    expect(liveBlock(limited, wide).join('\n')).toContain(' · limit 5')
    expect(liveBlock(state(plan), wide).join('\n')).not.toContain('limit')
  })
  test('off a terminal it is plain lines', () => {
    const out = new PassThrough()
    const view = liveView({
      stream: Object.assign(out, { isTTY: false }) as unknown as NodeJS.WriteStream,
      concurrency: 1,
    })
    view.on(plan)
    view.on(finished(run(1, 'with_skill'), { status: 'failed', kind: 'crash', message: 'bo\u001b[31mom' }))
    view.on({ type: 'limit_changed', limit: 5, reason: 'refused (429)' })
    const [late, graded1] = [run(2, 'with_skill'), run(2, 'without_skill')]
    view.on(finished(graded1))
    view.on(finished(late, { status: 'timed_out' }))
    view.on(finished(run(1, 'without_skill'), { status: 'failed' }))
    view.on(graded(graded1, 0.5))
    view.on(graded(late, 0.5))
    view.end()
    const text = String(out.read())
    expect(text.match(/^\[.+$/gm)).toEqual([
      '[1/8] 1 case 1 · with_skill · run 1 failed: bo·[31mom 1.0 s',
      '[2/8] 1 case 1 · without_skill · run 1 failed 1.0 s',
      '[3/8] 2 case 2 · without_skill · run 1: 1/2 1.0 s',
      '[4/8] 2 case 2 · with_skill · run 1 timed_out: 1/2 1.0 s',
    ])
    expect(text).toContain('tidy · command · judge anthropic · 2 cases × 2 configurations × 2 = 8 runs')
    expect(text).toContain('limit 5 at once: refused (429)')
  })
})

describe('numbers and text', () => {
  test.each([
    [4200, '4.2 s'],
    [42_000, '42 s'],
    [65_000, '1:05'],
    [3_725_000, '1:02:05'],
  ])('%d ms is %s', (ms, text) => expect(durationText(ms)).toBe(text))
  test.each([
    [0, '$0.00'],
    [0.004, '<$0.01'],
    [1.5, '$1.50'],
  ])('%d dollars are %s', (usd, text) => expect(dollarsText(usd)).toBe(text))
  test('one line has no control characters and is cut', () => expect(oneLine('a\nb\u202ec', 3)).toBe('a·…'))
  test('wrapped lines break between words and are indented', () =>
    expect(wrapText('one two three', 8)).toEqual(['one two', '  three']))
  test.each([
    ['größer', 6],
    ['e\u0301a', 2],
    ['日本', 4],
    ['👩‍👩‍👧', 2],
  ])('%j takes %d columns', (text, width) => {
    const [line] = alignColumns([text, '#'.repeat(12)].map((one) => [one, '|']))
    expect(line).toBe(`${text}${' '.repeat(12 - width)}  |`)
  })
  test.each([
    [0, 100, 99],
    [undefined, 100, 99],
    [80, 80, 79],
    [20, 20, 40],
  ])('a terminal that reports %j columns has %d, of which text fills %d', (columns, all, text) => {
    const stream = { isTTY: true, columns } as unknown as NodeJS.WriteStream
    expect([terminalWidth(stream), textWidth(stream)]).toEqual([all, text])
  })
})

/** Which calibration a benchmark takes its noise from: the newest whole one of the same suite, engine, model, judge and baseline. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { readKnownNoise } from '../../../src/flows/report/calibrations.ts'

const of = {
  suite_sha256: 's',
  engine: { name: 'codex', model: 'm-1' },
  judge: { name: 'anthropic', model: 'haiku' },
  baseline_sha256: null as string | null,
}
const plan = {
  candidate_configuration: 'with_skill',
  baseline_configuration: 'without_skill',
  suite: { sha256: 's' },
  options: { engine: of.engine, judge: of.judge },
  baseline: null,
  runs: [{ eval_id: 1 }, { eval_id: 1 }],
} as unknown as Plan // only what is compared
const scores = [1, 0, 1]

/** What a benchmark of this plan knows in a workspace with these calibrations, oldest first; and what was told. */
async function known(calibrations: readonly (object | string)[], changes: object = {}) {
  const workspace = mkdtempSync(path.join(tmpdir(), 'calibrations-'))
  for (const [at, one] of calibrations.entries()) {
    const folder = path.join(workspace, 'calibrations', `2026-01-0${at + 1}T00-00-00Z`)
    mkdirSync(folder, { recursive: true })
    const whole = {
      schema_version: 1,
      skill_name: 'tidy',
      created_at: `2026-01-0${at + 1}T00:00:00.000Z`,
      of,
      complete: true,
      cases: [{ eval_id: 1, first: scores, again: scores }],
    }
    const text = typeof one === 'string' ? one : JSON.stringify({ ...whole, ...one })
    writeFileSync(path.join(folder, 'calibration.json'), text)
  }
  const events: FlowEvent[] = []
  const [{ signal }, folder] = [new AbortController(), path.join(workspace, 'benchmarks/2026-02-01T00-00-00Z')]
  const context = {
    emit: (event: FlowEvent) => events.push(event),
    env: {},
    drain: signal,
    signal,
    now: () => new Date(),
  }
  const noise = await readKnownNoise(folder, { ...plan, ...changes } as Plan, context)
  return { made: noise?.calibration?.made ?? null, told: events.map(({ type }) => type) }
}

const [first, second] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z']
test.each<[string, (object | string)[], object, string | null]>([
  ['none', [], {}, null],
  ['the newest', [{}, {}], {}, second],
  ['one that is not whole is passed over', [{}, { complete: false }], {}, first],
  ['another suite', [{ of: { ...of, suite_sha256: 't' } }], {}, null],
  ['another engine', [{ of: { ...of, engine: { ...of.engine, name: 'opencode' } } }], {}, null],
  ['another model', [{ of: { ...of, engine: { ...of.engine, model: 'm-2' } } }], {}, null],
  ['another judge', [{ of: { ...of, judge: { ...of.judge, model: 'opus' } } }], {}, null],
  ['no judge in the calibration', [{ of: { ...of, judge: null } }], {}, null],
  ['no judge in the benchmark: whoever judged other cases', [{}], { options: { ...plan.options, judge: null } }, first],
  ['an older version as baseline', [{ of: { ...of, baseline_sha256: 'b' } }], {}, null],
  ['the same older version', [{ of: { ...of, baseline_sha256: 'b' } }], { baseline: { sha256: 'b' } }, first],
  ['a case that it has not seen', [{}], { runs: [{ eval_id: 1 }, { eval_id: 2 }] }, null],
  ['a calibration knows none of another', [{}], { candidate_configuration: 'without_skill_again' }, null],
])('%s', async (_, calibrations, changes, made) => {
  expect(await known(calibrations, changes)).toEqual({ made, told: [] })
})

test('a damaged one is named and passed over', async () => {
  expect(await known([{}, '{"schema_version": 1,'])).toEqual({ made: first, told: ['artefact_damaged'] })
})

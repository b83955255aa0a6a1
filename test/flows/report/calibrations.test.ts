/** What a report takes from elsewhere: the noise of the newest calibration that fits, and a model's notes in the places that those of the rules leave. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { hasPlaceForNotes } from '../../../src/features/compare/analyze/analyze.ts'
import { withAnalystNotes } from '../../../src/flows/report/analyst_notes.ts'
import { readKnownNoise } from '../../../src/flows/report/calibrations.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { findSigner, listSignedParts } from '../../../src/store/signing/signer.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { folderOf } from '../../store/folder_of.ts'

const never = new AbortController().signal
const context = { emit: () => {}, env: {}, drain: never, signal: never, now: () => new Date('2026-01-15T10:30:00Z') }

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
async function known(calibrations: readonly (object | string)[], changes: object = {}, isOwn = true) {
  const files = calibrations.map((one, at) => {
    const stamp = `2026-01-0${at + 1}`
    const whole = {
      ...{ schema_version: 1, skill_name: 'tidy', created_at: `${stamp}T00:00:00.000Z`, of, complete: true },
      cases: [{ eval_id: 1, first: scores, again: scores }],
    }
    const content = typeof one === 'string' ? one : { ...whole, ...one }
    return [`calibrations/${stamp}T00-00-00Z/calibration.json`, content]
  })
  const workspace = folderOf(Object.fromEntries(files))
  for (const [file = ''] of isOwn ? files : []) {
    const place = path.join(workspace, String(file))
    const [[name, text] = ['', '']] = listSignedParts({ file: place }, readFileSync(place, 'utf8'), findSigner({}))
    writeFileSync(path.join(path.dirname(place), name), text)
  }
  const events: FlowEvent[] = []
  const folder = path.join(workspace, 'benchmarks/2026-02-01T00-00-00Z')
  const heard = { ...context, emit: (event: FlowEvent) => events.push(event) }
  const noise = await readKnownNoise(folder, { ...plan, ...changes } as Plan, heard)
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

test('one of somebody else is named and not used', async () => {
  expect(await known([{}], {}, false)).toEqual({ made: null, told: ['foreign_results'] })
})

test('a damaged one is named and passed over', async () => {
  expect(await known([{}, '{"schema_version": 1,'])).toEqual({ made: first, told: ['artefact_damaged'] })
})

const made = aggregate(inputOf(arm(1, 'with_skill', ['+', '+', '-'])))

/** The notes with this many of the rules, and with five of a model: four that hold, one that does not. */
function combine(ofRules: number) {
  const notes = [1, 2, 3, 4, 5].map((at) => ({
    text: `Model ${'x'.repeat(at)}.`,
    runs: [at === 2 ? '9/with_skill/run-1' : '1/with_skill/run-1'],
    claims: [{ metric: 'pass_rate', statistic: 'max', eval_id: 1, configuration: null, expectation: null, value: 1 }],
  }))
  const stored = { schema_version: 1, analyzer_model: 'm', made_at: '2026-01-15T10:30:00Z', notes }
  const rules = Array.from({ length: ofRules }, (_, at) => `Rule ${at + 1}.`)
  return withAnalystNotes({ ...made, notes: rules }, folderOf({ 'analyst_notes.json': stored }), context)
}

test.each([
  [0, 4, 0],
  [2, 4, 0],
  [4, 2, 2],
  [6, 0, 4],
])('%i of the rules: %i of the model, %i without a place', (ofRules, kept, without) => {
  const { notes, analyst_notes } = combine(ofRules)
  expect(notes.map((note) => note.split(' ')[0])).toEqual([
    ...Array(ofRules).fill('Rule'),
    ...Array(kept).fill('Model'),
  ])
  expect(analyst_notes?.kept).toBe(kept)
  expect(analyst_notes?.dropped.map(({ reason }) => reason)).toEqual([
    'there is no run 9/with_skill/run-1',
    ...Array(without).fill('the benchmark has 6 notes'),
  ])
})

function benchmarkWith(ofRules: number, ofModel: number): string {
  const notes = Array.from({ length: ofRules + ofModel }, (_, at) => `Note ${at + 1}.`)
  const analyst = ofModel === 0 ? {} : { analyst_notes: { kept: ofModel, dropped: [] } }
  return folderOf({ 'benchmark.json': { ...made, notes, ...analyst } })
}

test.each([
  [0, 0, true],
  [5, 0, true],
  [6, 0, false],
  [4, 2, true],
])('%i notes of the rules, %i of the model: asked %s', async (ofRules, ofModel, isAsked) => {
  expect(await hasPlaceForNotes(benchmarkWith(ofRules, ofModel))).toBe(isAsked)
})

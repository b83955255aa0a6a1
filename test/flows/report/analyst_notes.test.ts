/** A model's notes take the places that the notes of the rules leave, six in all; where none is left, no model is asked. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { hasPlaceForNotes, withAnalystNotes } from '../../../src/flows/report/analyst_notes.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'

const never = new AbortController().signal
const context = { emit: () => {}, env: {}, drain: never, signal: never, now: () => new Date('2026-01-15T10:30:00Z') }
const made = aggregate(inputOf(arm(1, 'with_skill', ['+', '+', '-'])))

/** The notes with this many of the rules, and with five of a model: four that hold, one that does not. */
function combine(ofRules: number) {
  const folder = mkdtempSync(path.join(tmpdir(), 'notes-'))
  const notes = [1, 2, 3, 4, 5].map((at) => ({
    text: `Model ${'x'.repeat(at)}.`,
    runs: [at === 2 ? '9/with_skill/run-1' : '1/with_skill/run-1'],
    claims: [{ metric: 'pass_rate', statistic: 'max', eval_id: 1, configuration: null, expectation: null, value: 1 }],
  }))
  const stored = { schema_version: 1, analyzer_model: 'm', made_at: '2026-01-15T10:30:00Z', notes }
  writeFileSync(path.join(folder, 'analyst_notes.json'), JSON.stringify(stored))
  const rules = Array.from({ length: ofRules }, (_, at) => `Rule ${at + 1}.`)
  return withAnalystNotes({ ...made, notes: rules }, folder, context)
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
  const folder = mkdtempSync(path.join(tmpdir(), 'notes-'))
  const notes = Array.from({ length: ofRules + ofModel }, (_, at) => `Note ${at + 1}.`)
  const analyst = ofModel === 0 ? {} : { analyst_notes: { kept: ofModel, dropped: [] } }
  writeFileSync(path.join(folder, 'benchmark.json'), JSON.stringify({ ...made, notes, ...analyst }))
  return folder
}

test.each([
  [0, 0, true],
  [5, 0, true],
  [6, 0, false],
  [4, 2, true],
])('%i notes of the rules, %i of the model: asked %s', async (ofRules, ofModel, isAsked) => {
  expect(await hasPlaceForNotes(benchmarkWith(ofRules, ofModel))).toBe(isAsked)
})

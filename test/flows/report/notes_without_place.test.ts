/** A model is not asked for notes that would have no place: six of the rules are all that a benchmark shows. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { hasPlaceForNotes } from '../../../src/flows/report/analyst_notes.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'

const made = aggregate(inputOf(arm(1, 'with_skill', ['+', '+', '-'])))

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

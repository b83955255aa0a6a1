/** Why a run is not in the cache, in words. */
import { describe, expect, test } from 'vitest'
import {
  describePartDifferences,
  findNearestEntry,
  findPartDifferences,
} from '../../../../src/phases/1-plan/keys/explain_miss.ts'

const kept = {
  prompt: 'a'.repeat(64),
  skill: 'b'.repeat(64),
  'skill file SKILL.md': 'c'.repeat(64),
  'engine version': '2.1.328',
  'input file in.csv': 'd'.repeat(64),
  'run number': '1',
}
const told = (changes: Record<string, string | undefined>) => {
  const is = Object.fromEntries(
    Object.entries({ ...kept, ...changes }).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])),
  )
  return describePartDifferences(findPartDifferences(kept, is))
}
const other = 'e'.repeat(64)

describe('a difference in words', () => {
  test.each([
    [{ skill: other, 'skill file SKILL.md': other }, 'skill changed: SKILL.md'],
    [{ skill: other, 'skill file more.md': other }, 'skill changed: more.md is new'],
    [{ skill: other, 'skill file SKILL.md': undefined }, 'skill changed: SKILL.md is gone'],
    [{ 'engine version': '2.1.329' }, 'engine version 2.1.328 → 2.1.329'],
    [{ 'input file in.csv': other }, 'input file in.csv changed'],
    [{ 'input file new.csv': other }, 'input file new.csv is new'],
    [{ 'run number': '4' }, 'no cached run has the number 4'],
    [{ prompt: other, 'run number': '4' }, 'no cached run has this prompt'],
    [{ 'engine version': '3', 'input file in.csv': other }, 'engine version 2.1.328 → 3; input file in.csv changed'],
    [{}, ''],
  ])('%j', (changes, text) => {
    expect(told(changes)).toBe(text)
  })
})

describe('the nearest entry', () => {
  const entry = (name: string, changes: Record<string, string>) => ({ name, parts: { ...kept, ...changes } })
  test.each([
    [
      'differs in the fewest parts',
      [entry('two', { 'engine version': '1', x: '1' }), entry('one', { 'engine version': '1' })],
      'one',
    ],
    ['is of the same prompt', [entry('prompt', { prompt: other }), entry('far', { a: '1', b: '1', c: '1' })], 'far'],
    ['is of the same arm', [entry('arm', { skill: 'none' }), entry('far', { a: '1', b: '1', c: '1' })], 'far'],
    ['is of the same run number', [entry('run', { 'run number': '2' }), entry('far', { a: '1', b: '1' })], 'far'],
  ])('%s', (_what, entries, name) => {
    expect(findNearestEntry(kept, entries)?.name).toBe(name)
  })
  test('of none is none', () => {
    expect(findNearestEntry(kept, [])).toBeNull()
  })
})

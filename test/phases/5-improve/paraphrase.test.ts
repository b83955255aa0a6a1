/** A held-out case in other words is a leak; general advice on its subject is not. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { findCopiedText, findLeakage } from '../../../src/flows/improve/propose/static_checks.ts'
import { readCaseWords } from '../../../src/phases/5-improve/case_words.ts'
import {
  findParaphrase,
  listContentWords,
  listProperNames,
  stemWord,
} from '../../../src/phases/5-improve/guards/find_paraphrase.ts'
import { suiteCase } from '../../fixtures/suite_case.ts'
import { skillEdit } from './skill_edit.ts'

const texts = z.array(z.string())
/** The prompt, then what is expected. */
const caseTexts = z.array(z.tuple([z.string()]).rest(z.string()))
const sceneFile = z.strictObject({
  ...{ skill: z.string(), seen: caseTexts, held: caseTexts, missed: texts.default([]), honest: texts },
  leaks: z.array(z.strictObject({ kind: z.string(), text: z.string(), file: z.string().optional() })),
})
type LeakScene = z.infer<typeof sceneFile>
const leakScenes = z
  .record(z.string(), sceneFile)
  .parse(parse(readFileSync(path.join(import.meta.dirname, 'leaks.yaml'), 'utf8')))

function readCases(cases: LeakScene['held'], firstId: number) {
  return cases.map(([prompt, ...expected], at) =>
    readCaseWords({
      ...suiteCase({ eval_id: firstId + at, prompt }),
      expectations: expected.map((text) => ({ text })),
    }),
  )
}

function request({ skill, seen, held }: LeakScene, text: string, file = 'SKILL.md') {
  const before = { 'SKILL.md': skill }
  const after = { ...before, [file]: `${file === 'SKILL.md' ? skill : ''}${text}\n` }
  return { edit: skillEdit(before, after), seen: readCases(seen, 1), held: readCases(held, 11) }
}

describe.each(Object.entries(leakScenes))('%s', (_, scene) => {
  test.each(scene.leaks)('a leak is refused, and by no other rule: $kind: $text', ({ text, file }) => {
    expect(findLeakage(request(scene, text, file))).toMatch(/^it describes held-out case 1\d in other words/)
    expect(findCopiedText(request(scene, text, file))).toBeNull()
  })
  test.each(scene.leaks)('but not if the skill or training cases said it: $kind: $text', ({ text, file }) => {
    const said = { ...scene, skill: `${scene.skill}${text}\n` }
    expect(findLeakage(request(said, 'More.'))).toBeNull()
    expect(findLeakage(request(said, text.replaceAll('\n', ' \n'), 'references/moved.md'))).toBeNull()
    expect(findLeakage(request({ ...scene, seen: [...scene.seen, ...scene.held] }, text, file))).toBeNull()
  })
  test.each(scene.missed)('too few shared words to find it: %s', (text) => {
    expect(findLeakage(request(scene, text))).toBeNull()
  })
  test.each(scene.honest)('honest: %s', (text) => expect(findLeakage(request(scene, text))).toBeNull())
  test.each(['\n', ' '])('all honest edits at once, joined by %j', (between) => {
    expect(findLeakage(request(scene, scene.honest.join(between)))).toBeNull()
    expect(findLeakage(request(scene, [...scene.honest].reverse().join(between)))).toBeNull()
  })
})

describe('a passage', () => {
  const held = readCases(
    [['The shipyard in Gdansk billed us 14 crane hours at 385 zloty and a mooring fee of 920.', 'Due is 6310']],
    1,
  )
  const shared = (added: string) => findParaphrase({ added, before: '', seen: [], held })?.shared ?? null
  const words = ['Gdansk', 'shipyard', 'crane', '385']
  test.each<[string, string, boolean]>([
    ['in one line', words.join(' '), true],
    ['over four lines', words.join('\n'), true],
    ['over more lines', words.join('\nNothing of the kind.\n'), false],
    ['with a word less', words.slice(1).join(' '), false],
    ['among many new words', words.join(' zebra yacht quokka walrus ibex '), false],
    ['without a name or a number', 'shipyard billed crane zloty mooring fee', true],
    ['the same among new words', 'shipyard zebra billed yacht crane quokka zloty walrus mooring ibex fee', false],
    ['numbers alone', '14 385 920 6310', false],
  ])('%s', (_, text, isFound) => {
    if (isFound) expect(shared(text)).toContain('crane')
    else expect(shared(text)).toBeNull()
  })
  test('a digit and a year say little', () => {
    const [small, large] = [7, 37].map((count) => {
      const cases = readCases([[`Count ${count} moored buoys at 100 crowns in 2024.`]], 1)
      const added = `In 2024 moored buoys, ${count} of them: 100 crowns.`
      return findParaphrase({ added, before: '', seen: [], held: cases })
    })
    expect(small).toBeNull()
    expect(large).toMatchObject({ shared: ['2024', 'moored', 'buoys', '37', '100', 'crowns'] })
  })
  test('a word that many cases have says nothing', () => {
    const many = readCases(
      [1, 2, 3, 4].map((at): [string] => [`Gdansk shipyard crane hours, mooring, zloty ${at}${at}${at}`]),
      1,
    )
    const text = 'In Gdansk the shipyard bills crane hours, mooring, in zloty.'
    expect(findParaphrase({ added: text, before: '', seen: [], held: many.slice(0, 1) })).not.toBeNull()
    expect(findParaphrase({ added: text, before: '', seen: [], held: many })).toBeNull()
  })
})

describe('content words', () => {
  const values = (text: string) => listContentWords(text).map(({ value }) => value)
  test.each([
    ['numbers', '1,248 = 1248.00 and 1_248', ['1248', '1248', '1248']],
    ['number words', 'Seven hives, twenty rows', ['7', 'hiv', '20', 'row']],
    ['identifiers', 'cabin_class cabinClass R-2207', ['cabin', 'class', 'cabin', 'class', '2207']],
    ['numbers of a list', '1. Totals\n 2) Rows', ['total', 'row']],
    ['composed and decomposed letters', 'cafe\u0301 café', ['café', 'café']],
    ['stop words', 'It is for you and me', []],
  ])('%s', (_, text, expected) => expect(values(text)).toEqual(expected))
  test.each(['round rounds rounded rounding', 'tax taxes taxed', 'copy copies copied', 'stop stops stopped stopping'])(
    'one stem: %s',
    (forms) => expect(new Set(forms.split(' ').map(stemWord)).size).toBe(1),
  )
  test('other words have other stems', () => expect(stemWord('rate')).not.toBe(stemWord('ratio')))
  test('names', () => {
    const found = listProperNames('Total it for Gdansk, then fill cabin_class. Read the DDL.')
    expect([...found]).toEqual(['gdansk', 'cabin', 'class'])
  })
})

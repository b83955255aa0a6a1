/** `demo --copy` writes a skill that can be edited and benched, and never over anything. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { copyExample } from '../../../../src/features/practice/demo/command.ts'
import { fresh } from '../../../e2e/program.ts'

test.each([
  ['example', 'invoice-totals'],
  ['example-improve', 'adder'],
] as const)('the copy of %s has the skill, its suite and the scenario', (name, skill) => {
  const to = path.join(fresh(), 'copy')
  const copy = copyExample(name, to)
  expect(copy).toEqual({ skill: path.join(to, skill), scenario: path.join(to, 'practice.yaml') })
  for (const file of ['SKILL.md', 'evals/evals.json']) expect(existsSync(path.join(copy.skill, file))).toBe(true)
  expect(readFileSync(copy.scenario, 'utf8')).toContain('rules:')
})

test('an existing folder stays as it is', () => {
  const to = fresh()
  writeFileSync(path.join(to, 'mine.txt'), 'mine')
  expect(() => copyExample('example', to)).toThrow(`--copy ${to}: this folder exists`)
  expect(readFileSync(path.join(to, 'mine.txt'), 'utf8')).toBe('mine')
  expect(existsSync(path.join(to, 'practice.yaml'))).toBe(false)
})

test('a place that can not be written is named', () => {
  const file = path.join(fresh(), 'file')
  writeFileSync(file, '')
  expect(() => copyExample('example', path.join(file, 'copy'))).toThrow(`--copy ${file}`)
})

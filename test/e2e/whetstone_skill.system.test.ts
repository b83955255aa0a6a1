/** The skill that Whetstone ships: its suite is sound, and what it names exists. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runMain } from '../cli/run_main.ts'

const root = path.join(import.meta.dirname, '../..')
const shipped = path.join(root, 'skills/whetstone')

describe('the suite of the skill', () => {
  test('has nothing that check would mention, and no case passes with an empty answer', async () => {
    const end = await runMain(['check', shipped, '--fail-on', 'warning', '--null', '--sandbox', 'off'])
    expect(end.code, end.stdout).toBe(0)
  })
  test('is in the package', () => {
    expect(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).files).toContain('skills')
  })
  test('every flag and field that the skill names is there', async () => {
    const text = ['SKILL.md', 'references/results.md']
      .map((name) => readFileSync(path.join(shipped, name), 'utf8'))
      .join('\n')
    for (const command of new Set([...text.matchAll(/(?:`|^ *)whetstone ([a-z]+)\b/gm)].map(([, name = '']) => name))) {
      const help = await runMain([command, '--help-all'])
      expect(help.code, command).toBe(0)
      const flags = [...text.matchAll(new RegExp(`whetstone ${command}\\b([^\`\\n]*)`, 'g'))]
      for (const [, flag] of flags.flatMap(([, rest = '']) => [...rest.matchAll(/(--[a-z-]+)/g)]))
        expect(help.stdout).toContain(flag)
    }
    const result = readFileSync(path.join(shipped, 'evals/files/result/benchmark.json'), 'utf8')
    const value = JSON.parse(result)
    const fields = [...text.matchAll(/`(statistics\.[\w.]+)`/g)].map(([, field = '']) => field.split('.'))
    expect(fields.length).toBeGreaterThan(4)
    for (const field of fields)
      expect(
        field.reduce((inner, name) => inner?.[name], value),
        field.join('.'),
      ).toBeDefined()
  })
})

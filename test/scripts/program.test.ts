/** The bundled program: complete, in English wherever it runs, and with the licences of what it carries. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { whetstone } from '../e2e/program.ts'

const folder = path.join(import.meta.dirname, '../../dist/program')
const part = (name: string) => readFileSync(path.join(folder, name), 'utf8')
const parts = readdirSync(folder).filter((name) => name.endsWith('.js'))

describe('the bundled program', () => {
  test('is what the terminal starts', () => {
    const bin = readFileSync(path.join(folder, '../src/cli/bin.js'), 'utf8')
    expect(bin).toContain("import('../../program/main.js')")
    expect(bin).not.toContain("'./main.js'")
  })
  test('finds every file that it reads at the address which the file has', () => {
    const named = parts.flatMap((name) => [...part(name).matchAll(/new URL\("(\.\.\/[^"]+)",import\.meta\.url\)/g)])
    expect(named.length).toBeGreaterThan(5)
    for (const [, address = ''] of named) expect(() => readFileSync(path.join(folder, address))).not.toThrow()
  })
  test('holds one language of zod, and says its messages', async () => {
    const all = parts.map(part).join('\n')
    expect(all).toContain('Invalid input: expected')
    expect(all).not.toContain('Ungültige Eingabe')
  })
  test('passes on the licence of each package in it', () => {
    const licences = readFileSync(path.join(folder, 'LICENSES.txt'), 'utf8')
    for (const name of ['zod', 'yargs', 'simple-statistics']) expect(licences).toContain(`# ${name}\n`)
  })
  test.each(['de_DE.UTF-8', 'tr_TR.UTF-8', 'C'])('speaks English under %s', async (language) => {
    const { stderr, code } = await whetstone(['bench', '--nix'], { env: { LC_ALL: language, LANG: language } })
    expect([code, stderr]).toEqual([2, 'error bench needs <skill>\n      see whetstone bench --help\n'])
  })
})

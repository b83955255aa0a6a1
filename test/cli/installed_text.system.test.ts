/** Messages lead to the documentation from an installed package too, and name commands as the user can type them. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { typedCommand } from '../../src/base/package_root.ts'
import { nameCommands } from '../../src/cli/help/installed_text.ts'
import { parseScenario } from '../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../src/features/practice/server.ts'
import { fresh, makeSkill } from '../e2e/program.ts'
import { runMain } from './run_main.ts'

const root = path.join(import.meta.dirname, '../..')

/** The program as a project has it installed, with or without the documentation next to it; the folder that it is asked to run has no suite. */
async function hintOf(withDocs: boolean): Promise<string> {
  const copy = fresh()
  for (const part of ['package.json', 'dist/program'])
    cpSync(path.join(root, part), path.join(copy, part), { recursive: true, filter: (file) => !file.endsWith('.map') })
  for (const part of ['node_modules', 'dist/src', 'dist/viewer'])
    symlinkSync(path.join(root, part), path.join(copy, part))
  const skill = fresh()
  writeFileSync(path.join(skill, 'SKILL.md'), '---\nname: tidy\ndescription: Tidies.\n---\n')
  if (withDocs) mkdirSync(path.join(copy, 'docs'))
  const program = path.join(copy, 'node_modules.local/.bin/whetstone')
  mkdirSync(path.dirname(program), { recursive: true })
  symlinkSync(path.join(copy, 'dist/program/bin.js'), program)
  const { stderr } = await execa(process.execPath, [program, 'bench', skill], { reject: false })
  return stderr
}

test('in a clone a page is a file, in the package an address of this version', async () => {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  expect(await hintOf(true)).toContain('(docs/reference/formats.md ')
  expect(await hintOf(false)).toMatch(
    new RegExp(`\\(https://github\\.com/[\\w-]+/[\\w-]+/blob/v${version}/docs/reference/formats\\.md `),
  )
})

test('a message of a package that npx runs names npx', async () => {
  expect(await hintOf(true)).toContain('draft one with npx whetstone init,')
})

const local = '/project/node_modules/.bin/whetstone'

test.each([
  [local, 'npx whetstone'],
  ['/usr/local/bin/whetstone', 'whetstone'],
  ['/project/node_modules/whetstone/dist/program/bin.js', 'whetstone'],
  ['', 'whetstone'],
])('started as "%s", the command is %s', (program, typed) => {
  expect(typedCommand(program)).toBe(typed)
})

test.each([
  ['`whetstone demo` needs no key', '`npx whetstone demo` needs no key'],
  ['whetstone bench a, then whetstone view', 'npx whetstone bench a, then npx whetstone view'],
  ['npx -y whetstone mcp', 'npx -y whetstone mcp'],
  ['npm install pg where whetstone is installed', 'npm install pg where whetstone is installed'],
  ['/home/me/whetstone bench', '/home/me/whetstone bench'],
])('"%s" for npx', (text, wanted) => {
  expect(nameCommands(text, local)).toBe(wanted)
  expect(nameCommands(text, '/usr/local/bin/whetstone')).toBe(text)
})

test('init with the practice model of the example leads to a scenario for any skill', async () => {
  const text = readFileSync(path.join(root, 'workspaces/example/practice.yaml'), 'utf8')
  await using practice = await startPractice({ scenario: parseScenario(text, 'practice.yaml') })
  const env = { ANTHROPIC_BASE_URL: practice.url, ANTHROPIC_API_KEY: 'practice' }
  const { code, stderr } = await runMain(
    ['init', makeSkill([]), '--output', 'new.json', '--engine', 'anthropic:practice-1'],
    { env },
  )
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('docs/how-to/offline.md') })
})

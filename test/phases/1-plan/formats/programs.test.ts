/** Programs in evals/bin: executables and recorded answers; what can't be one is an error before any run. */
import { chmodSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadSuite } from '../../../../src/phases/1-plan/suite/load_suite.ts'
import { commandHashes, listCommands } from '../../../../src/phases/1-plan/suite/suite_commands.ts'
import { skillWith, userError } from '../folder.ts'

const evals = { skill_name: 'sums', evals: [{ id: 1, prompt: 'a', expectations: ['b'] }] }
const gh = '- args: "pr list*"\n  stdout_file: data/prs.json\n- args: ""\n  stderr: help\n  exit_code: 2\n'

async function load(files: Record<string, string>, executable: readonly string[] = []) {
  const named = Object.entries(files).map(([name, text]) => [`evals/bin/${name}`, text] as const)
  const root = skillWith(evals, Object.fromEntries(named))
  for (const name of executable) chmodSync(path.join(root, 'evals/bin', name), 0o755)
  return await loadSuite(root)
}

describe('are found', () => {
  test('answers, executables, and data that is neither', async () => {
    const suite = await load({ 'gh.yaml': gh, 'data/prs.json': '[]', kubectl: '#!/bin/sh\n', 'notes.txt': 'n' }, [
      'kubectl',
    ])
    expect(suite.cases[0]?.environment?.programs).toMatchObject({
      folder: { path: 'evals/bin', kind: 'directory' },
      executables: ['kubectl'],
      answers: {
        gh: [
          { args: 'pr list*', stdout_file: 'data/prs.json' },
          { args: '', stderr: 'help', exit_code: 2 },
        ],
      },
    })
    expect(suite.warnings).toEqual([])
  })
  test('control: without a program there is no environment', async () => {
    expect((await load({ 'notes.txt': 'n' })).cases[0]?.environment).toBeUndefined()
  })
  test('a script that is not executable is named', async () => {
    const { warnings, cases } = await load({ gh: '#!/bin/sh\n' })
    expect(cases[0]?.environment).toBeUndefined()
    expect(warnings[0]?.message).toContain('evals/bin/gh is not executable')
  })
})

describe('a mistake is an error', () => {
  test.each<[string, Record<string, string>, readonly string[], string]>([
    ['unknown field', { 'gh.yaml': '- args: a\n  out: b\n' }, [], 'evals/bin/gh.yaml: recorded answers'],
    ['broken YAML', { 'gh.yaml': '- args: "a\n' }, [], 'evals/bin/gh.yaml: line '],
    ['no list', { 'gh.json': '{}' }, [], 'evals/bin/gh.json: recorded answers'],
    ['a missing file', { 'gh.yaml': '- args: a\n  stdout_file: b\n' }, [], 'stdout_file b is not in evals/bin'],
    [
      'two outputs',
      { 'gh.yaml': '- args: a\n  stdout: b\n  stdout_file: gh.yaml\n' },
      [],
      'both stdout and stdout_file',
    ],
    [
      'a name twice',
      { 'gh.yaml': gh.replace('data/prs.json', 'gh'), gh: '' },
      ['gh'],
      'another file is already the program "gh"',
    ],
    ['a shell', { sh: '' }, ['sh'], '"sh" starts agents or the sandbox'],
    ['node', { 'node.yaml': gh }, [], '"node" starts agents or the sandbox'],
    ['an agent', { claude: '' }, ['claude'], '"claude" starts agents or the sandbox'],
    ['a name with a space', { 'a b': '' }, ['a b'], 'is not a name of letters'],
  ])('%s', async (_, files, executable, message) => {
    expect((await userError(load(files, executable))).message).toContain(message)
  })
})

describe('a check of a call', () => {
  const asking = (program: string, files: Record<string, string>) => {
    const checks = [{ type: 'program_called', program }]
    const suite = { ...evals, evals: [{ id: 1, prompt: 'a', checks }] }
    return loadSuite(skillWith(suite, files))
  }
  const known = { 'evals/bin/gh.yaml': '- args: a\n' }
  test.each<[string, Record<string, string>, string]>([
    ['hg', known, 'no program "hg" in evals/bin; did you mean "gh"?'],
    ['kubectl', known, 'no program "kubectl" in evals/bin; expected "gh"'],
    ['gh', {}, 'no program "gh" in evals/bin; that folder has no programs'],
  ])('of %s, which the suite does not bring, is an error', async (program, files, message) => {
    expect((await userError(asking(program, files))).message).toContain(`$.evals[0].checks: program_called: ${message}`)
  })
  test('control: of a program that it brings', async () => {
    expect((await asking('gh', known)).warnings).toEqual([])
  })
})

describe('the commands of a suite', () => {
  test('list executables, and their content is part of what a yes is for', async () => {
    const before = await load({ kubectl: '#!/bin/sh\necho a\n', 'gh.yaml': gh.replace('data/prs.json', 'kubectl') }, [
      'kubectl',
    ])
    const after = await load({ kubectl: '#!/bin/sh\necho b\n', 'gh.yaml': gh.replace('data/prs.json', 'kubectl') }, [
      'kubectl',
    ])
    const none = () => ({ hashes: [], commands: [] })
    expect(listCommands(before.cases, none)).toEqual([
      { kind: 'program', command: 'evals/bin/kubectl', cases: ['1 a'] },
    ])
    expect(commandHashes(before.cases, none)).not.toEqual(commandHashes(after.cases, none))
  })
  test('control: recorded answers start nothing of the suite', async () => {
    const { cases } = await load({ 'gh.yaml': gh, 'data/prs.json': '[]' })
    expect(listCommands(cases, () => ({ hashes: [], commands: [] }))).toEqual([])
  })
})

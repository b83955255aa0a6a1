/** What is too large, too deep or from elsewhere is refused with its reason, while what is just inside is read. Large files are holes on the disk. */
import { closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Suite } from '../../../../schemas/suite.ts'
import { errorMessage } from '../../../../src/base/errors/error.ts'
import { findSuites, loadSuites } from '../../../../src/phases/1-plan/suite/find_suites.ts'
import { folderOf, skillText } from '../folder.ts'

/** The suite, or why it can't be read. */
async function read(folder: string): Promise<Suite | string> {
  const [first] = await loadSuites(await findSuites(folder, null))
  if (first === undefined) throw new Error('no suite')
  return first.read.status === 'fulfilled' ? first.read.value : errorMessage(first.read.reason)
}

async function reasonOf(folder: string): Promise<string | null> {
  const suite = await read(folder)
  return typeof suite === 'string' ? suite : (suite.cases[0]?.cannot_run ?? null)
}

const evalMd = '## one\n### Prompt\nHi\n### Expect\nIt greets.\n'
const golden = {
  'a/persona/IDENTITY.md': 'You are A.',
  'a/evals/rubric.md': '---\nweights: { care: 100 }\n---\nBe exact.\n',
  'a/evals/judge.md': '---\nstrict_mode: true\n---\n{rubric} {agent_response}\n',
  'a/evals/golden/happy/001.md': '---\ntest_id: "001"\ncategory: happy\n---\n## Input\nRent?\n',
}
const aam = {
  'package.agent.json': '{"name":"p","version":"1.0.0"}',
  'skills/s/SKILL.md': skillText,
  'evals/eval-config.json': '{"version":1,"engine":"claude-code"}',
  'evals/cases/a.yaml': 'name: a\ninput: { prompt: Do it. }\njudge: { criteria: done }\n',
}
const padded = (text: string, bytes: number) => text + ' '.repeat(bytes - text.length)
const mebibyte = 1024 * 1024

describe('sizes', () => {
  test.each([
    ['EVAL.md', { 'EVAL.md': evalMd }, 'EVAL.md', /EVAL\.md:1:1: larger than 1048576 bytes/],
    ['a golden test', golden, 'a/evals/golden/happy/001.md', /larger than 1048576 bytes/],
    ['a rubric', golden, 'a/evals/rubric.md', /rubric\.md: larger than 1048576 bytes/],
    ['a case of a package', aam, 'evals/cases/a.yaml', /larger than|longer than/],
  ])('%s: 1 MiB and a byte more', async (_, files: Record<string, string>, file, message) => {
    const text = files[file] ?? ''
    expect(await reasonOf(folderOf({ ...files, [file]: padded(text, mebibyte) }))).toBeNull()
    expect(await reasonOf(folderOf({ ...files, [file]: padded(text, mebibyte + 1) }))).toMatch(message)
  })
  test.each(['evals/one/prompt.md', 'evals/one/graders/g.md'])(
    '%s of a plugin: 1 MiB and a byte more',
    async (file) => {
      const files = {
        'SKILL.md': skillText,
        'evals/one/prompt.md': 'Go.',
        'evals/one/graders/g.md': '---\ntype: llm\n---\nx',
      }
      const text = files[file as keyof typeof files]
      expect(await reasonOf(folderOf({ ...files, [file]: padded(text, mebibyte) }))).toBeNull()
      expect(await reasonOf(folderOf({ ...files, [file]: padded(text, mebibyte + 1) }))).toMatch(/larger than 1048576/)
    },
  )
  test('an evals.json: 16 MiB and a byte more', async () => {
    const of = (bytes: number) =>
      folderOf({ 'SKILL.md': skillText, 'evals/evals.json': padded('[{"prompt":"p","expectations":["e"]}]', bytes) })
    expect(await reasonOf(of(16 * mebibyte))).toBeNull()
    expect(await reasonOf(of(16 * mebibyte + 1))).toMatch(/evals\.json: larger than 16777216 bytes/)
  })
  test.each([
    ['200 MiB', 200 * mebibyte, true],
    ['a byte more', 200 * mebibyte + 1, false],
  ])('a vault of %s', async (_, bytes, fits) => {
    const folder = folderOf(golden)
    const file = path.join(folder, 'a/memory/scan.bin')
    mkdirSync(path.dirname(file))
    const handle = openSync(file, 'w')
    ftruncateSync(handle, bytes - 'You are A.'.length)
    closeSync(handle)
    const suite = await read(folder)
    unlinkSync(file)
    if (typeof suite === 'string') throw new Error(suite)
    const [one] = suite.cases
    if (fits) expect(one?.cannot_run).toBeNull()
    else expect(one?.cannot_run).toMatch(/the vault has more than 209715200 bytes/)
    // what is too much was not read either
    expect(one?.files.map((input) => input.path)).toEqual(fits ? ['memory', 'persona'] : [])
  })
})

describe('YAML that would not end', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'.split('').map((name, at) => {
      const before = 'abcdefgh'[at]
      return `${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`
    }),
  ].join('\n')
  const hostile = [
    ['aliases of aliases', bomb, /alias/i],
    ['keys in keys', `${'? '.repeat(60)}x`, /a key must be text/],
    ['a deep tree', `a: ${'['.repeat(200_000)}`, /nested too deeply/],
    ['an anchor that contains itself', 'a: &r [*r]', /contains itself/],
  ] as const
  test.each(hostile)('%s', async (_, yaml, message) => {
    const front = `---\n${yaml}\n---\n`
    expect(await reasonOf(folderOf({ 'EVAL.md': front + evalMd }))).toMatch(message)
    expect(await reasonOf(folderOf({ ...golden, 'a/evals/rubric.md': `${front}x` }))).toMatch(message)
    expect(await reasonOf(folderOf({ ...golden, 'a/evals/golden/happy/001.md': `${front}## Input\nx\n` }))).toMatch(
      message,
    )
    expect(await reasonOf(folderOf({ ...aam, 'evals/cases/a.yaml': yaml }))).toMatch(message)
    const plugin = { 'SKILL.md': skillText, 'evals/one/prompt.md': 'Do it.', 'evals/one/case.yaml': yaml }
    expect(await reasonOf(folderOf(plugin))).toMatch(message)
  })
  test('control: the same places with ordinary YAML', async () => {
    expect(await reasonOf(folderOf({ 'EVAL.md': `---\nsystem: x\n---\n${evalMd}` }))).toBeNull()
    expect(await reasonOf(folderOf(golden))).toBeNull()
    expect(await reasonOf(folderOf(aam))).toBeNull()
  })
})

describe('links that lead out', () => {
  const secret = () => path.join(folderOf({ 'secret.md': '---\ntype: llm\n---\nthe secret' }), 'secret.md')
  const linked = async (files: Record<string, string>, at: string, target: string) => {
    const folder = folderOf(files)
    mkdirSync(path.dirname(path.join(folder, at)), { recursive: true })
    symlinkSync(target, path.join(folder, at))
    return JSON.stringify(await read(folder))
  }
  test.each([
    ['rules', aam, 'rules/x.md'],
    ['a rule', aam, 'rules/x/RULE.md'],
    ['commands', aam, 'commands/x.md'],
    ['AGENTS.md', aam, 'AGENTS.md'],
    ['a grader', { 'SKILL.md': skillText, 'evals/one/prompt.md': 'Go.' }, 'evals/one/graders/g.md'],
    ['a persona', golden, 'a/persona/SOUL.md'],
    ['a note', golden, 'a/memory/INDEX.md'],
  ])('%s: neither its text nor its place is taken', async (_, files, at) => {
    const target = secret()
    const said = await linked(files, at, target)
    expect(said).not.toContain('the secret')
    expect(said).not.toContain(`"path":"${path.basename(at)}"`)
  })
  test('control: a link that stays inside is followed', async () => {
    const folder = folderOf(golden)
    writeFileSync(path.join(folder, 'a/shared.md'), 'the shared soul')
    symlinkSync('../shared.md', path.join(folder, 'a/persona/SOUL.md'))
    expect(JSON.stringify(await read(folder))).toContain('the shared soul')
  })
})

test('cost guardrails of model.md are named, since nothing here enforces them', async () => {
  const model = '# Model\n\n## Default model\n\n`m-1`\n'
  const said = async (text: string) => JSON.stringify(await read(folderOf({ ...golden, 'a/model.md': text })))
  expect(await said(`${model}\n## Cost guardrails\n\n- per run: $1\n`)).toContain('use --budget instead')
  expect(await said(model)).not.toContain('use --budget instead')
})

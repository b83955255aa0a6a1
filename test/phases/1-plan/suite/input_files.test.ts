/** Input files and git bundles of a case: found, hashed, placed; what is missing or not allowed keeps only its case from running. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { suiteCase } from '../../../../schemas/suite.ts'
import { computeRunKey } from '../../../../src/phases/1-plan/keys/plan_keys.ts'
import { loadSuite } from '../../../../src/phases/1-plan/suite/load_suite.ts'
import { specOf } from '../../../fixtures/run_spec.ts'
import { folderOf, loadCase, skillText, skillWith } from '../folder.ts'

const base = { id: 1, prompt: 'p', expectations: ['e'] }
const files = { 'evals/files/a.csv': 'a', 'evals/files/b/c.csv': 'cc', 'evals/beside.csv': 'b', 'data/x.csv': 'x' }
const withFiles = (given: unknown) => loadCase({ ...base, files: given }, files)

const suiteWith = (fields: object) => JSON.stringify({ skill_name: 's', evals: [{ ...base, ...fields }] })

function linkTo(folder: string): string {
  const link = path.join(folderOf({}), 'link')
  symlinkSync(folder, link)
  return link
}

async function loadIn(root: string) {
  const { cases, warnings } = await loadSuite(root)
  return { case: suiteCase.parse(cases[0]), warnings: warnings.map(({ message }) => message) }
}

describe('places in the working folder', () => {
  test.each<[string, string, string, number]>([
    ['evals/files/a.csv', 'evals/files/a.csv', 'file', 1],
    ['./data/x.csv', 'data/x.csv', 'file', 1],
    ['data/../data/x.csv', 'data/x.csv', 'file', 1],
    ['evals/files/', 'evals/files', 'directory', 3],
  ])('%s', async (given, place, kind, bytes) => {
    const read = await withFiles([given])
    expect(read.case.files).toMatchObject([
      { path: place, kind, bytes, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
    expect(read.case.cannot_run).toBeNull()
    expect(read.warnings).toEqual([])
  })
  test.each([
    ['r\u00e9sum\u00e9.md', 're\u0301sume\u0301.md'],
    ['re\u0301sume\u0301.md', 'r\u00e9sum\u00e9.md'],
  ])('%j named, %j on the disk (macOS writes NFD): the file, by the name of the suite', async (named, stored) => {
    const read = (await loadCase({ ...base, files: [named] }, { [stored]: 'x' })).case
    expect(read).toMatchObject({ cannot_run: null, files: [{ path: named, bytes: 1 }] })
    const other = (await loadCase({ ...base, files: ['resume.md'] }, { [stored]: 'x' })).case
    expect(other.cannot_run).toContain('no such file')
  })
  test('the hash is that of the content', async () => {
    const hash = async (text: string) =>
      (await loadCase({ ...base, files: ['d'] }, { 'd/x': text })).case.files[0]?.sha256
    expect(await hash('1')).toBe(await hash('1'))
    expect(await hash('1')).not.toBe(await hash('2'))
  })
})

describe('meant from the folder of the suite', () => {
  test('a file of the skill is found there, with a warning', async () => {
    const read = await withFiles(['../data/x.csv'])
    expect(read.case).toMatchObject({ cannot_run: null, files: [{ path: 'data/x.csv' }] })
    expect(read.warnings.join()).toContain('relative to the suite instead of the skill folder')
  })
  test.each(['../../x.csv', '../nowhere.csv'])('%s stays out', async (given) => {
    expect((await withFiles([given])).case.cannot_run).toContain('leads out of the skill folder')
  })
})

describe('a prompt that names a file', () => {
  const texts = { 'evals/prompts/x.md': 'Count the boats.', 'prompts/y.md': 'Count the ferries.' }
  const withPrompt = (prompt: string) => loadCase({ ...base, prompt }, texts)
  test.each([
    ['prompts/x.md', 'Count the boats.'],
    ['file://prompts/x.md', 'Count the boats.'],
    ['@prompts/y.md', 'Count the ferries.'],
    ['Summarize prompts/x.md', 'Summarize prompts/x.md'],
    ['notes.txt', 'notes.txt'],
  ])('%s', async (prompt, sent) => {
    const read = await withPrompt(prompt)
    expect(read.case).toMatchObject({ prompt: sent, cannot_run: null })
    expect(read.warnings.some((one) => one.includes('the prompt names a file'))).toBe(prompt !== sent)
  })
  test.each(['prompts/gone.md', '@gone.md', 'file://../../../etc/hosts'])('%s can not be sent', async (prompt) => {
    expect((await withPrompt(prompt)).case.cannot_run).toContain('its prompt names a file that is not in the skill')
  })
})

test.each([
  ['an input file', { files: ['run.sh'] }],
  ['a script of a hook', { environment: { files: ['run.sh'] } }],
])('%s that is made executable is another run', async (_, fields) => {
  const root = skillWith({ skill_name: 'sums', evals: [{ ...base, ...fields }] }, { 'run.sh': 'exit 0' })
  const key = async (mode: number) => {
    chmodSync(path.join(root, 'run.sh'), mode)
    const { case: one } = await loadIn(root)
    expect(one.cannot_run).toBeNull()
    return computeRunKey(specOf({ files: one.files, ...(one.environment && { environment: one.environment }) }))
  }
  const plain = await key(0o644)
  expect(await key(0o755)).not.toBe(plain)
  expect(await key(0o600)).toBe(plain)
})

describe('forgiven with a warning', () => {
  test.each<[string, unknown, string, string]>([
    ['an object', [{ path: 'data/x.csv', purpose: 'p' }], 'data/x.csv', 'files[0]: an object; its path is the file'],
    ['one text', 'data/x.csv', 'data/x.csv', 'files: text, not a list; it is read as one file'],
    ['null items', [null, 'data/x.csv'], 'data/x.csv', 'files[0]: null, not a file; it is skipped'],
    ['beside the suite', ['beside.csv'], 'beside.csv', 'files[0]: relative to the suite instead of the skill folder'],
    ['twice', ['data/x.csv', './data/x.csv'], 'data/x.csv', 'files[1]: the same file again; it counts once'],
    ['SKILL.md itself', ['SKILL.md'], 'SKILL.md', "files[0]: the skill's own SKILL.md"],
  ])('%s', async (_, given, place, warning) => {
    const read = await withFiles(given)
    expect(read.case.files.map((file) => file.path)).toEqual([place])
    expect(read.case.cannot_run).toBeNull()
    expect(read.warnings).toEqual([expect.stringContaining(warning)])
  })
  test('another name of the field', async () => {
    const read = await loadCase({ ...base, input_files: ['data/x.csv'] }, files)
    expect(read.case.files).toHaveLength(1)
    expect(read.warnings).toEqual(['$.evals[0].input_files: "input_files" is read as "files"'])
  })
  test.each<[string, (root: string) => string]>([
    ['as it is', (root) => root],
    ['by a link', linkTo],
  ])("an absolute path into the skill's folder, named %s", async (_, nameOf) => {
    const root = skillWith({ skill_name: 's', evals: [] }, files)
    writeFileSync(path.join(root, 'evals/evals.json'), suiteWith({ files: [path.join(nameOf(root), 'data/x.csv')] }))
    const read = await loadIn(root)
    expect(read.case).toMatchObject({ cannot_run: null, files: [{ path: 'data/x.csv' }] })
    expect(read.warnings).toEqual([expect.stringContaining('an absolute path')])
  })
  test.each<[string, string, RegExp]>([
    ['.venv/host', '/etc/hostname', /^\.venv\/host of this folder is left out: .* to \/etc/],
    ['host', 'nowhere', /host of this folder is left out: broken link, to nowhere/],
  ])('a folder with the link %s to %s is used without it', async (link, target, warning) => {
    const more = { ...files, 'data/.venv/x': 'x' }
    const root = skillWith({ skill_name: 's', evals: [{ ...base, files: ['data'] }] }, more)
    symlinkSync(target, path.join(root, 'data', link))
    const read = await loadIn(root)
    expect(read.case).toMatchObject({ cannot_run: null, files: [{ bytes: 2 }] })
    expect(read.warnings).toEqual([expect.stringMatching(warning)])
  })
  test('the folder of the suite, and the suite itself, may be links', async () => {
    const evals = suiteWith({ files: ['evals/a.csv'], git: { bundle: 'evals/b.bundle' } })
    const root = folderOf({ 's/SKILL.md': skillText, 'all/s.json': evals, 'all/s/a.csv': 'a', 'all/s/b.bundle': 'b' })
    symlinkSync('../s.json', path.join(root, 'all/s/evals.json'))
    symlinkSync('../all/s', path.join(root, 's/evals'))
    const read = await loadIn(path.join(root, 's'))
    expect(read.case).toMatchObject({ cannot_run: null, files: [{ path: 'evals/a.csv' }] })
  })
})

describe('keeps the case from running', () => {
  test.each<[string, unknown, RegExp]>([
    [
      'missing',
      ['evals/files/none.csv'],
      /^input file evals\/files\/none\.csv: no such file \(looked for \/.*none\.csv\)$/,
    ],
    ['prose', ['fixture repo: no spec, seeded defects'], /no such file/],
    ['out of the skill folder', ['../other/a.csv'], /^input file \.\.\/other\/a\.csv: leads out of the skill folder$/],
    ['a NUL', ['a\0b'], /no such file/],
    ['no path', [{ name: 'a', content: 'b' }], /files\[0\] is an object without a path/],
    ['a number', [3], /files\[0\] is a number without a path/],
    ['the suite', ['evals/evals.json'], /contains the suite itself/],
    ['a folder that holds the suite', ['evals'], /contains the suite itself/],
    ['the skill folder', ['.'], /contains the suite itself/],
    ['several', ['none', 'nil'], /none: no such file .*; input file nil: no such file/],
  ])('%s', async (_, given, reason) => {
    const read = await withFiles(given)
    expect(read.case.cannot_run).toMatch(reason)
    expect(read.case.files).toEqual([])
  })
  const outside =
    "an absolute path that leads out of the skill folder: put it into the skill's folder and name it from there"
  test.each<[string, (file: string) => object, string]>([
    ['files', (file) => ({ files: [file] }), 'input file'],
    ['a folder', (file) => ({ files: [path.dirname(file)] }), 'input file'],
    ['a script of a hook', (file) => ({ environment: { files: [file] } }), 'environment.files: input file'],
    ['a rule', (file) => ({ environment: { rules: [file] } }), 'environment.rules: input file'],
    ['a sub-agent', (file) => ({ environment: { agents: [file] } }), 'environment.agents: input file'],
    ['a file of hooks', (file) => ({ environment: { hooks: file } }), 'environment.hooks:'],
    ['a git bundle', (file) => ({ git: { bundle: file } }), 'git bundle'],
  ])('an absolute path to elsewhere: %s', async (_, fieldsOf, what) => {
    const elsewhere = path.join(folderOf({ 'ssh/id_ed25519': 'k' }), 'ssh/id_ed25519')
    const evals = [
      { ...base, ...fieldsOf(elsewhere) },
      { ...base, id: 2 },
    ]
    const { cases } = await loadSuite(skillWith({ skill_name: 's', evals }))
    const [first, second] = cases
    expect(first?.cannot_run).toMatch(new RegExp(`^${what} /`))
    expect(first?.cannot_run).toContain(outside)
    expect(first).toMatchObject({ files: [], git: null })
    expect(second?.cannot_run).toBeNull()
  })
  test('an absolute path of a link that leads out', async () => {
    const root = skillWith({ skill_name: 's', evals: [] })
    symlinkSync('/etc/hostname', path.join(root, 'host'))
    writeFileSync(path.join(root, 'evals/evals.json'), suiteWith({ files: [path.join(root, 'host')] }))
    expect((await loadIn(root)).case.cannot_run).toMatch(/a link that leads out/)
  })
  test.each<[string, string, string, string, RegExp]>([
    ['a link that leads out of the skill folder', 'host', '/etc/hostname', 'host', /a link that leads out/],
    [
      'a folder with a link',
      'data/host',
      '/etc/hostname',
      'data',
      /host in it is a link that leads out of the folder, to \/etc/,
    ],
    ['a link to the suite', 'key.json', 'evals/evals.json', 'key.json', /contains the suite itself/],
  ])('%s', async (_, link, target, given, reason) => {
    const root = skillWith({ skill_name: 's', evals: [{ ...base, files: [given] }] }, files)
    symlinkSync(target, path.join(root, link))
    expect((await loadIn(root)).case.cannot_run).toMatch(reason)
  })
  test('neither file nor folder', async () => {
    const root = skillWith({ skill_name: 's', evals: [{ ...base, files: ['pipe'] }] })
    execFileSync('mkfifo', [path.join(root, 'pipe')])
    expect((await loadIn(root)).case.cannot_run).toMatch(/neither a file nor a folder/)
  })
})

describe('git bundles', () => {
  const git = { bundle: 'evals/start.bundle' }
  test('a path becomes absolute, the content a hash', async () => {
    const root = skillWith({ skill_name: 's', evals: [{ ...base, git }] })
    mkdirSync(path.join(root, 'evals'), { recursive: true })
    writeFileSync(path.join(root, 'evals/start.bundle'), 'x')
    const sha256 = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881'
    expect((await loadIn(root)).case.git).toEqual({ bundle: path.join(root, 'evals/start.bundle'), sha256 })
  })
  test.each(['../start.bundle', 'link.bundle'])('out of the skill folder: %s', async (bundle) => {
    const root = skillWith({ skill_name: 's', evals: [{ ...base, git: { bundle } }] })
    symlinkSync('/etc/hostname', path.join(root, 'link.bundle'))
    expect((await loadIn(root)).case).toMatchObject({
      git: null,
      cannot_run: expect.stringMatching(/leads out of the skill folder/),
    })
  })
  test('missing', async () => {
    const read = await loadCase({ ...base, git })
    expect(read.case).toMatchObject({ git: null, cannot_run: 'git bundle evals/start.bundle: no such file' })
  })
})

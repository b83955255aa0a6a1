/** Files that a case attaches to its prompt: they are input files too, and what can't be attached keeps the case from running. */
import { expect, test } from 'vitest'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { imageLimits } from '../../../../src/base/fs/image_type.ts'
import { loadSuite } from '../../../../src/phases/1-plan/suite/load_suite.ts'
import { toEvalsJson } from '../../../../src/phases/1-plan/suite/to_evals_json.ts'
import { folderOf, skillText, userError } from '../folder.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const padded = (bytes: number) => Buffer.concat([png, Buffer.alloc(bytes - png.length)])

async function load(part: object, files: Record<string, string | Buffer> = {}) {
  const one = { id: 1, prompt: 'p', expectations: ['e'], ...part }
  const root = folderOf({
    'SKILL.md': skillText,
    'evals/evals.json': JSON.stringify({ skill_name: 'sums', evals: [one] }),
    'files/chart.png': png,
    'files/named.png': 'text',
    'files/a.csv': '1',
    ...files,
  })
  return { root, suite: await loadSuite(root) }
}

async function loadOne(part: object, files = {}): Promise<SuiteCase> {
  const { cases, warnings } = (await load(part, files)).suite
  expect(warnings).toEqual([])
  const [one] = cases
  if (one === undefined) throw new Error('no case')
  return one
}

test('each is an input file, once; an image is one by its content', async () => {
  const one = await loadOne({
    files: ['files/a.csv', 'files/chart.png'],
    attach: ['files/chart.png', 'files/named.png'],
  })
  expect(one.files.map(({ path }) => path)).toEqual(['files/a.csv', 'files/chart.png', 'files/named.png'])
  expect(one.attach).toEqual([
    { path: 'files/chart.png', image: true },
    { path: 'files/named.png', image: false },
  ])
  expect(one.cannot_run).toBeNull()
  for (const part of [{}, { attach: [] }, { attach: null }]) expect(await loadOne(part)).not.toHaveProperty('attach')
})

test.each<[string, string[], RegExp]>([
  ['missing', ['files/none.png'], /^attached file files\/none.png: no such file/],
  ['a folder', ['files'], /^attached file files: a folder: name its files/],
  ['outside', ['../x.png'], /^attached file \.\.\/x.png: leads out of the skill folder/],
  ['too large', ['big.png'], /^attached file big.png: an image above 3.75 MiB: make it smaller$/],
  [
    'too many',
    ['1.png', '2.png', '3.png', '4.png', '5.png'],
    /^attached file 5.png: the images of a prompt are above 15/,
  ],
])('%s: the case cannot run', async (_what, attach, reason) => {
  const names = ['1.png', '2.png', '3.png', '4.png', '5.png']
  const most = Object.fromEntries(names.map((name) => [name, padded(imageLimits.bytes)]))
  const one = await loadOne({ attach }, { ...most, 'big.png': padded(imageLimits.bytes + 1) })
  expect(one.cannot_run).toMatch(reason)
})

test('the largest images, and larger files that are none, can be attached', async () => {
  const text = Buffer.alloc(imageLimits.bytes + 1, 'x')
  const one = await loadOne({ attach: ['1.png', 'a.txt'] }, { '1.png': padded(imageLimits.bytes), 'a.txt': text })
  expect(one.cannot_run).toBeNull()
})

test('a value of another type is a mistake of the suite', async () => {
  for (const attach of ['a.png', [1], ['']]) {
    expect((await userError(load({ attach }))).message).toContain('$.evals[0].attach')
  }
})

test('evals.json gets them back', async () => {
  const { root, suite } = await load({ attach: ['files/chart.png'], files: ['files/a.csv'] })
  const skill = { name: 'sums', description: 'd', path: root, sha256: 's' }
  const { file, lost } = toEvalsJson(suite, skill, 'expectations')
  expect(lost).toEqual([])
  const [one] = file.evals
  expect(one).toMatchObject({ attach: ['files/chart.png'], files: ['files/a.csv', 'files/chart.png'] })
  const again = (await load({ ...one })).suite.cases[0]
  expect(again?.attach).toEqual(suite.cases[0]?.attach)
})

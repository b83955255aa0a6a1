/** Files that checks need (found in the suite, hidden from agents, part of what is trusted and graded), and files that a case attaches to its prompt. */
import { describe, expect, test } from 'vitest'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { imageLimits } from '../../../../src/base/fs/image_type.ts'
import { noSkills } from '../../../../src/phases/1-plan/skill/skill_commands.ts'
import { loadSuite } from '../../../../src/phases/1-plan/suite/load_suite.ts'
import { commandHashes, listCommands } from '../../../../src/phases/1-plan/suite/suite_commands.ts'
import { hashGradingInputs } from '../../../../src/phases/3-judge/grade/grade_run.ts'
import { folderOf, loadCase, loadEvals, skillText, userError } from '../folder.ts'

const verify = { 'evals/verify.sh': 'exit 0\n', 'evals/t/a.sh': 'exit 0\n', 'evals/t/b.txt': 'b\n' }
const command = (run: string, more: object = {}) => ({
  id: 1,
  prompt: 'p',
  checks: [{ type: 'command', run, ...more }],
})

async function load(one: object, files: Record<string, string> = verify) {
  const { case: read, warnings } = await loadCase(one, files)
  const [check] = read.checks
  const placed = check !== undefined && 'files' in check ? check.files : undefined
  return { read, warnings, placed, named: read.grading_files?.map(({ path: name, kind }) => `${kind} ${name}`) }
}

describe('files of a command check', () => {
  const [sh, folder] = ['evals/verify.sh', 'evals/t']
  const listed = (from: string, to: string) => ({ files: [{ from, to }] })
  const input = { ...command('cat evals/t/b.txt'), files: [folder] }
  test.each<[string, object, string | undefined, string | undefined]>([
    ['a word of the command', command(`sh ${sh}`), `${sh} > ${sh}`, `file ${sh}`],
    ['a folder in the command', command('pytest ./evals/t/ -q'), `${folder} > ${folder}`, `directory ${folder}`],
    ['a list', command('sh v.sh', listed(sh, 'v.sh')), `${sh} > v.sh`, `file ${sh}`],
    ['both name it', command(`sh ${sh}`, { files: [sh] }), `${sh} > ${sh}`, `file ${sh}`],
    [
      'below a listed folder',
      command('sh evals/t/a.sh', { files: [folder] }),
      `${folder} > ${folder}`,
      `directory ${folder}`,
    ],
    ['a filled place', command('sh evals/t/a.sh', listed(sh, 'evals/t/a.sh')), `${sh} > evals/t/a.sh`, `file ${sh}`],
    ['next to the suite', command('sh verify.sh', { files: ['verify.sh'] }), 'verify.sh > verify.sh', 'file verify.sh'],
    ['an input, which the agent may change', input, undefined, undefined],
    ['the suite itself', command('test -s evals/evals.json'), undefined, undefined],
    ['no file of the suite', command('test -f evals/out.txt'), undefined, undefined],
  ])('%s', async (_, one, placed, named) => {
    const found = await load(one)
    expect(found.read.cannot_run).toBeNull()
    const places = found.placed?.map((file) => (typeof file === 'string' ? file : `${file.from} > ${file.to}`))
    expect([places?.join(), found.named?.join()]).toEqual([placed, named])
  })

  test.each<[string, object, string]>([
    ['a missing file', command('true', { files: ['evals/gone.sh'] }), 'file of a check evals/gone.sh: no such file'],
    ['a missing script in the command', command('sh evals/gone.sh'), 'file of a check evals/gone.sh: no such file'],
    ['a script', { id: 1, prompt: 'p', checks: [{ type: 'script', script: 'gone.py' }] }, 'gone.py: no such file'],
    ['outside', command('true', { files: ['../x'] }), 'leads out of the skill folder'],
    ['the suite', command('true', { files: ['evals'] }), 'it contains the suite itself'],
    ['two at one place', command('true', { files: [sh, folder].map((from) => ({ from, to: 'x' })) }), 'would be at x'],
  ])('%s keeps the case from running', async (_, one, reason) =>
    expect((await load(one)).read.cannot_run).toContain(reason),
  )
  test('a script that the agent is asked to write is not missing', async () => {
    expect((await load({ ...command('sh evals/new.sh'), prompt: 'Write evals/new.sh' })).read.cannot_run).toBeNull()
  })
  test('what agents see is reported', async () => {
    const visible = { ...verify, 'scripts/v.sh': 'x' }
    const seen = await load(command('true', { files: ['scripts/v.sh'] }), visible)
    expect(seen.warnings.join()).toContain('move it to evals/')
    const given = { ...command('true', { files: ['evals/verify.sh'] }), files: ['evals/verify.sh'] }
    expect((await load(given)).warnings.join()).toContain('is also an input file')
    expect((await load(command('sh evals/verify.sh'))).warnings).toEqual([])
  })
})

describe('what they are part of', () => {
  const suite = async (text: string, checks: object[] = [{ type: 'command', run: 'sh evals/verify.sh' }]) =>
    (
      await loadEvals(
        { skill_name: 'sums', evals: [{ id: 1, prompt: 'p', checks }] },
        { 'evals/verify.sh': text, 'evals/g.py': text },
      )
    ).cases
  const script = [{ type: 'script', script: 'evals/g.py', args: ['-v'] }]
  const trusted = (cases: readonly SuiteCase[]) => commandHashes(cases, () => noSkills)
  const graded = (cases: readonly SuiteCase[]) =>
    cases.map((one) => hashGradingInputs({ runKey: 'k', case: one, judge: null, onTimeout: 'fail' }))

  test.each([[undefined], [script]])('the trust and the grading change with their content: %j', async (checks) => {
    for (const hash of [trusted, graded]) {
      expect(hash(await suite('exit 0\n', checks))).toEqual(hash(await suite('exit 0\n', checks)))
      expect(hash(await suite('exit 0\n', checks))).not.toEqual(hash(await suite('exit 1\n', checks)))
    }
  })
  test('a script is listed among the commands', async () => {
    const listed = listCommands(await suite('', script), () => noSkills)
    expect(listed).toMatchObject([{ kind: 'check', command: 'evals/g.py -v' }])
  })
})

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const padded = (bytes: number) => Buffer.concat([png, Buffer.alloc(bytes - png.length)])

async function loadWith(part: object, files: Record<string, string | Buffer> = {}) {
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
  const { cases, warnings } = (await loadWith(part, files)).suite
  expect(warnings).toEqual([])
  const [one] = cases
  if (one === undefined) throw new Error('no case')
  return one
}

test('each attached file is an input file, once; an image is one by its content', async () => {
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
])('an attached file that is %s: the case cannot run', async (_what, attach, reason) => {
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

test('an "attach" of another type is a mistake of the suite', async () => {
  for (const attach of ['a.png', [1], ['']]) {
    expect((await userError(loadWith({ attach }))).message).toContain('$.evals[0].attach')
  }
})

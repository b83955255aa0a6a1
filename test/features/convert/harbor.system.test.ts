/** Converted tasks work: solve.sh reaches 1, nothing stays below, and the verifier decides as Whetstone's own checks do. */
import { execFileSync, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type Check, check as checkSchema } from '../../../schemas/check.ts'
import { convert } from '../../../src/features/convert/convert.ts'
import { decideCheck } from '../../../src/phases/3-judge/checks/decide_check.ts'
import { folderOf, skillText } from '../../phases/1-plan/folder.ts'
import { sceneWith, write } from '../../phases/3-judge/scene.ts'
import { needs } from '../../require.ts'

const bubblewrap = 'bwrap'
const canBind = spawnSync(bubblewrap, ['--ro-bind', '/', '/', 'true']).status === 0
const hasPython = spawnSync('python3', ['--version']).status === 0
const inContainer = needs(
  'bubblewrap and python3',
  canBind && hasPython,
  'install both; docs/how-to/sandbox.md says what bubblewrap needs',
)

const places = ['app', 'tests', 'solution', 'logs', 'var', 'tmp'] as const

/** A stand-in for Harbor's container: a working folder and the folders of a task at the absolute paths that a task expects. Starts with the input files of the task; `files` are what an agent would leave. */
class HarborContainer {
  private readonly root: string
  private readonly task: string

  constructor(task: string, files: Record<string, string | Uint8Array> = {}) {
    this.task = task
    this.root = folderOf(prefixKeys(files))
    for (const place of places) mkdirSync(path.join(this.root, place), { recursive: true })
    const inputs = path.join(task, 'environment/files')
    if (existsSync(inputs)) cpSync(inputs, path.join(this.root, 'app'), { recursive: true })
    for (const place of ['tests', 'solution'] as const) {
      if (existsSync(path.join(task, place)))
        cpSync(path.join(task, place), path.join(this.root, place), { recursive: true })
    }
  }

  /** Runs what the Dockerfile runs, except the installation of packages. */
  build(): void {
    const text = readFileSync(path.join(this.task, 'environment/Dockerfile'), 'utf8').replaceAll('\\\n', '')
    const bundle = path.join(this.task, 'environment/start.bundle')
    if (existsSync(bundle)) cpSync(bundle, path.join(this.root, 'tmp/start.bundle'))
    for (const [, command = ''] of text.matchAll(/^RUN (?!apt-get)(.*)$/gm)) {
      const { code, output } = this.runArgv(command.startsWith('[') ? JSON.parse(command) : ['sh', '-c', command])
      if (code !== 0) throw new Error(`${command}: ${output}`)
    }
  }

  /** Writes into the working folder, as an agent does. */
  write(name: string, text: string): void {
    writeFileSync(path.join(this.root, 'app', name), text)
  }

  /** The exit code and the output of a script, started as Harbor does: in the working folder. */
  run(script: string): { code: number | null; output: string } {
    return this.runArgv(['bash', script])
  }

  runArgv(argv: readonly string[]): { code: number | null; output: string } {
    const own = places.flatMap((place) => ['--bind', path.join(this.root, place), `/${place}`])
    const args = ['--tmpfs', '/', ...bindSystem(), ...own, '--proc', '/proc', '--dev', '/dev']
    const end = spawnSync(bubblewrap, [...args, '--chdir', '/app', ...argv], { encoding: 'utf8', env })
    return { code: end.status, output: end.stdout + end.stderr }
  }

  /** A file that the verifier wrote; null: it did not. */
  log(name: string): string | null {
    const file = path.join(this.root, 'logs/verifier', name)
    return existsSync(file) ? readFileSync(file, 'utf8') : null
  }

  /** Decides the checks; `reward` null: none was written. */
  verify(): { reward: number | null; tests: { name: string; status: string; message: string }[]; output: string } {
    const { output } = this.run('/tests/test.sh')
    const reward = this.log('reward.txt')
    const report = JSON.parse(this.log('ctrf.json') ?? '{"results":{"tests":[]}}')
    return { reward: reward === null ? null : Number(reward), tests: report.results.tests, output }
  }
}

/** With an image that lets Python load modules from the working folder. */
const env = { PATH: process.env.PATH ?? '', HOME: '/root', PYTHONPATH: '/app' }

function prefixKeys(files: Record<string, string | Uint8Array>): Record<string, string | Uint8Array> {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`app/${name}`, content]))
}

function bindSystem(): string[] {
  const hidden = new Set<string>([...places, 'proc', 'dev'])
  return readdirSync('/').flatMap((name) => (hidden.has(name) ? [] : ['--ro-bind', `/${name}`, `/${name}`]))
}

const data = 'a,b\n1,2\n'
const sumUp = {
  id: 1,
  name: 'Sum up',
  prompt: 'Add up in/data.csv into sum.json and say the sum.',
  files: ['in'],
  checks: [
    { type: 'json_path', path: 'sum.json', query: '$.sum', equals: 3 },
    { type: 'contains', value: '3' },
    { type: 'command', run: 'grep -q 3 sum.json && test -f in/data.csv && ! test -e answer.txt', weight: 2 },
    { type: 'tool_used', name: 'Bash' },
  ],
  expectations: ['It is polite.'],
  reference: { answer: 'The sum is 3.\n', files: { 'sum.json': '{"sum": 3}' } },
}

async function taskOf(one: object, files: Record<string, string | Uint8Array> = {}): Promise<string> {
  const evals = JSON.stringify({ skill_name: 'sums', evals: [one] })
  const skill = folderOf({ 'SKILL.md': skillText, 'evals/evals.json': evals, 'in/data.csv': data, ...files })
  const output = path.join(folderOf({}), 'tasks')
  await convert({ path: skill, format: null, to: 'harbor', output, force: false })
  return path.join(output, 'sum-up')
}

inContainer('a converted task', () => {
  test('gives 1 for its own solution', async () => {
    const container = new HarborContainer(await taskOf(sumUp))
    expect(container.run('/solution/solve.sh')).toEqual({ code: 0, output: '' })
    const { reward, tests, output } = container.verify()
    expect(reward, output).toBe(1)
    expect(tests.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed'])
  })
  test('gives 0 for nothing, and the weighted share for a part', async () => {
    const task = await taskOf(sumUp)
    expect(new HarborContainer(task).verify().reward).toBe(0)
    expect(new HarborContainer(task, { 'sum.json': '{"sum": 3}' }).verify().reward).toBe(0.75)
  })
  test('its reward is that of the check marked as reward', async () => {
    const [first, second] = sumUp.checks
    const task = await taskOf({ ...sumUp, checks: [{ ...first, reward: true }, second] })
    const { reward, tests } = new HarborContainer(task, { 'sum.json': '{"sum": 3}' }).verify()
    expect([reward, tests.map(({ status }) => status)]).toEqual([1, ['passed', 'failed']])
  })
  test('a check that cannot be decided gives no reward', async () => {
    const task = await taskOf({ ...sumUp, checks: [{ type: 'command', run: 'no-such-program sum.json' }] })
    const container = new HarborContainer(task, { 'sum.json': '{}' })
    expect(container.verify()).toMatchObject({
      reward: null,
      tests: [{ status: 'other', message: expect.stringContaining('no-such-program is not installed here') }],
    })
  })
  test('an early reward by the agent is removed', async () => {
    const task = await taskOf({ ...sumUp, checks: [{ type: 'command', run: 'no-such-program sum.json' }] })
    const cheat = 'mkdir -p /logs/verifier && echo 1 | tee /logs/verifier/reward.txt > /logs/verifier/reward.json\n'
    const container = new HarborContainer(task, { 'cheat.sh': cheat })
    container.run('/app/cheat.sh')
    expect(container.log('reward.txt')).toBe('1\n')
    expect([container.verify().reward, container.log('reward.json')]).toEqual([null, null])
  })
  test('a link to the tests is neither an answer nor a file of the folder', async () => {
    const secret = { type: 'contains', value: 'secret' }
    const checks = [secret, { type: 'command', run: 'grep -q secret link.txt' }, { ...secret, path: 'link.txt' }]
    const task = await taskOf({ ...sumUp, checks })
    const links = 'ln -s /tests/checks.json answer.txt; ln -s /tests/checks.json link.txt\n'
    const container = new HarborContainer(task, { 'links.sh': links })
    container.run('/app/links.sh')
    expect(container.verify().tests.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed'])
    const copy = new HarborContainer(task, {
      'answer.txt': 'secret',
      'other.txt': 'secret',
      'links.sh': 'ln -s other.txt link.txt\n',
    })
    copy.run('/app/links.sh')
    expect(copy.verify().tests.map(({ status }) => status)).toEqual(['passed', 'passed', 'failed'])
  })
  test('modules that the agent left are not loaded', async () => {
    const task = await taskOf(sumUp)
    const container = new HarborContainer(task, { 'json.py': 'raise SystemExit("cheat")', 'sum.json': '{"sum": 3}' })
    expect(container.verify().reward).toBe(0.75)
  })
})

inContainer('the start of a converted task', () => {
  const checks = [
    { type: 'file_modified', path: 'made.txt' },
    { type: 'file_exists', path: 'kept.txt' },
    { type: 'command', run: 'git rev-list --count HEAD | grep -qx 1' },
  ]
  const setup = "echo 'a\tb' > made.txt\necho x > kept.txt"
  test('has its repository, and what its setup created does not count as output', async () => {
    const container = new HarborContainer(await taskOf({ ...sumUp, git: true, setup, checks }))
    container.build()
    expect(container.verify().tests.map(({ status }) => status)).toEqual(['failed', 'failed', 'passed'])
    container.write('made.txt', 'changed')
    container.write('kept.txt', 'x\n')
    expect(container.verify().tests.map(({ status }) => status)).toEqual(['passed', 'failed', 'passed'])
  })
  test('that was not recorded gives no reward', async () => {
    const container = new HarborContainer(await taskOf({ ...sumUp, setup, checks }))
    const { reward, output } = container.verify()
    expect([reward, output]).toEqual([null, expect.stringContaining('the files at the start are unknown')])
  })
  test.each([[['main']], [['HEAD', 'main']]])('is the checkout of a bundle of %j', async (refs) => {
    const repository = folderOf({ 'made.txt': 'a', 'kept.txt': 'b' })
    const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args])
    git('init', '--quiet', '--initial-branch=main')
    git('add', '--all')
    git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '--message=start')
    git('bundle', 'create', '--quiet', 'start.bundle', ...refs)
    const bundle = readFileSync(path.join(repository, 'start.bundle'))
    const case_ = { ...sumUp, files: [], git: { bundle: 'evals/start.bundle' }, checks }
    const container = new HarborContainer(await taskOf(case_, { 'evals/start.bundle': bundle }))
    container.build()
    container.write('made.txt', 'changed')
    expect(container.verify().tests.map(({ status }) => status)).toEqual(['passed', 'failed', 'passed'])
  })
})

const files = {
  'report.md': 'Ocean: 42\r\nDesert: 7 apples\n',
  'out/a.txt': 'alpha\n',
  'out/deep/b.txt': 'b',
  'data.json': '{"items":[{"n":1,"ok":true},{"n":2.0}],"a b":null,"big":[1,2,3]}',
  'broken.json': '{"items": [',
  't.csv': '\uFEFFregion,total,note\nOcean,1088.850,"a, b"\nDesert,7,\nOcean,1088.85,"line\nbreak"\n',
  'ragged.csv': 'a,b\n1,2,3\n',
  'empty.csv': '',
  'quote.csv': 'size,n\n5" pipe,2\n',
  'late.csv': 'size,n\n"5" pipe,2\n',
  'open.csv': 'size,n\n"5,2\n',
  'lines.csv': 'size,n\r\n\r\n"a ""b""",2\r\n\r\n',
  'blob.bin': new Uint8Array([0, 1, 255]),
  'latin.txt': new Uint8Array([0xe9, 0x0a]),
}
const sha = hash('sha256', data)
const answers = ['42', '```json\n{"a": [1, true]}\n```']

const checks: object[] = [
  { type: 'contains', value: 'TOTAL', ignore_case: true },
  { type: 'contains', value: 'Desert: 7', path: './report.md' },
  { type: 'contains', value: 'alpha', target: 'outputs' },
  { type: 'not_contains', value: 'alpha', target: 'outputs' },
  { type: 'not_contains', value: 'x', path: 'none.txt' },
  { type: 'regex', pattern: '^42$' },
  { type: 'regex', pattern: 'ocean:\\s+(?<n>\\d+)\\b', flags: 'i', path: 'report.md' },
  { type: 'regex', pattern: '^42$', absent: true },
  { type: 'regex', pattern: 'nowhere', absent: true, path: 'report.md' },
  { type: 'regex', pattern: '42$', flags: 'm', path: 'report.md' },
  { type: 'regex', pattern: 'alpha.b', flags: 's', target: 'outputs' },
  { type: 'regex', pattern: 'a{1,2}l[^\\s\\d]ha(?=\\n)', target: 'outputs' },
  { type: 'equals', value: 42 },
  { type: 'equals', value: 42.4, tolerance: 0.5 },
  { type: 'equals', value: '42' },
  { type: 'equals', value: 'THE total is 42.\ndone', ignore_case: true },
  { type: 'equals', value: { a: [1, true] } },
  { type: 'equals', value: null, path: 'broken.json' },
  { type: 'json_path', path: 'data.json', query: '$.items[-1].n', equals: 2 },
  { type: 'json_path', path: 'data.json', query: '$.items[*].ok', equals: 1 },
  { type: 'json_path', path: 'data.json', query: "$['a b']", equals: null },
  { type: 'json_path', path: 'data.json', query: '$.big[*]', equals: 1 },
  { type: 'json_path', query: '$.a[1]', equals: true },
  { type: 'json_path', path: 'broken.json', query: '$' },
  { type: 'csv', path: 't.csv', columns: ['region', 'note'], rows: { equals: 3 } },
  { type: 'csv', path: 't.csv', cells: [{ where: { region: 'Ocean' }, column: 'total', equals: 1088.85 }] },
  { type: 'csv', path: 't.csv', cells: [{ column: 'total', equals: 7, tolerance: 1 }] },
  { type: 'csv', path: 'ragged.csv', rows: { min: 1 } },
  { type: 'csv', path: 'empty.csv', rows: { equals: 0 } },
  { type: 'csv', path: 'report.md', delimiter: ':', rows: { equals: 1 } },
  { type: 'csv', path: 'quote.csv', rows: { equals: 1 } },
  { type: 'csv', path: 'late.csv', rows: { equals: 1 } },
  { type: 'csv', path: 'open.csv', rows: { min: 0 } },
  { type: 'csv', path: 'lines.csv', cells: [{ column: 'size', equals: 'a "b"' }] },
  { type: 'file_exists', path: 'report.md' },
  { type: 'file_exists', path: 'out' },
  { type: 'file_exists', path: 'out/**/*.txt' },
  { type: 'file_exists', path: '*.{md,rst}' },
  { type: 'file_absent', path: 'in/data.csv' },
  { type: 'file_modified', path: 'report.md' },
  { type: 'file_modified', path: 'in/data.csv' },
  { type: 'file_hash', path: 'in/data.csv', sha256: sha },
  {
    type: 'file_hash',
    path: 'out/deep/b.txt',
    sha256: '3E23E8160039594A33894F6564E1B1348BBD7A0088D42C4ACB73EEAED59C009D',
  },
  { type: 'file_count', path: 'out/**', count: { equals: 2 } },
  { type: 'file_count', path: '[a-e]*', count: { min: 2, max: 4 } },
  { type: 'file_size', path: 'blob.bin', bytes: { equals: 3 } },
  { type: 'file_size', path: 'report.md', bytes: { max: 3 } },
  { type: 'command', run: 'test -f in/data.csv && cat report.md' },
  { type: 'command', run: 'exit 3', exit_code: 3 },
  { type: 'command', run: 'sleep 5', timeout: 0.2 },
  { type: 'command', run: 'sleep 60 & exit 0' },
  { type: 'command', run: './build.sh' },
  { type: 'command', run: 'no-such-program --version' },
  { type: 'command', run: 'kill -9 $$' },
]

const statusOf = (verdict: Awaited<ReturnType<typeof decideCheck>>) => {
  if ('error' in verdict) return 'other'
  return verdict.passed ? 'passed' : 'failed'
}

inContainer("the verifier and Whetstone's own checks", () => {
  test.each(answers)('agree on every check with the answer %j', async (answer) => {
    const task = await taskOf({ ...sumUp, checks })
    const container = new HarborContainer(task, { ...files, 'answer.txt': `${answer}\n` })
    const { tests, output } = container.verify()
    const input = { path: 'in/data.csv', source: '', kind: 'file' as const, sha256: sha, bytes: 8 }
    const scene = await sceneWith(
      Object.fromEntries(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)])),
      { finalResponse: answer, start: { files: [input], git: null, setup: null } },
    )
    const restore = async (target: string) => {
      await scene.restore(target, 'end')
      await write(target, { 'in/data.csv': data })
    }
    expect(tests, output).toHaveLength(checks.length)
    const all: Check[] = checks.map((one) => checkSchema.parse(one))
    const own = await Promise.all(all.map((one) => decideCheck(one, { ...scene, restore })))
    const compare = (statuses: readonly string[]) => statuses.map((status, index) => [checks[index], status])
    expect(compare(tests.map(({ status }) => status))).toEqual(compare(own.map(statusOf)))
  })
})

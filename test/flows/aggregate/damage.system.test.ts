/** Damaged artefacts are named once, and written again at the least cost. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { aggregateAgain } from '../../../src/flows/aggregate/aggregate.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { contextAt } from '../eval/evaluate.ts'

const cases = [{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }]
const run = 'eval-1-task/with_skill/run-1'

interface Made {
  folder: string
  starts: () => number
  bench: (flags?: string[], shell?: string) => ReturnType<typeof runMain>
}
let made: Made

const template = fresh()
const skill = makeSkill(cases)

function benchIn(top: string, flags: readonly string[] = [], shell?: string) {
  const args = ['bench', skill, '--engine', tidyAgent, '--workspace', path.join(top, 'ws'), '--runs', '1']
  const whole = [...args, '--sandbox', 'off', '--pass-env', 'AGENT_LOG', ...flags]
  const env = { AGENT_LOG: path.join(top, 'agent.log') }
  return shell === undefined ? runMain(whole, { env }) : whetstone(whole, { env, shell })
}

function benchmarkIn(top: string): string {
  const folder = path.join(top, 'ws/benchmarks')
  return path.join(folder, readdirSync(folder)[0] ?? '')
}

/** A whole benchmark of two runs, whose benchmark.json says that it is not: the next bench goes on in it. */
beforeAll(async () => {
  const end = await benchIn(template)
  if (end.code !== 0) throw new Error(end.stderr)
  const file = path.join(benchmarkIn(template), 'benchmark.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"complete": true', '"complete": false'))
})

beforeEach(() => {
  const top = fresh()
  cpSync(template, top, { recursive: true })
  const starts = () => readFileSync(path.join(top, 'agent.log'), 'utf8').match(/start/g)?.length ?? 0
  made = { folder: benchmarkIn(top), bench: (flags, shell) => benchIn(top, flags, shell), starts }
})

const cut = (file: string) => truncateSync(file, Math.floor(readFileSync(file).length / 2))
const damages = {
  empty: (file: string) => truncateSync(file, 0),
  'full of zero bytes': (file: string) => writeFileSync(file, Buffer.alloc(500)),
  'JSON of another kind': (file: string) => writeFileSync(file, '[1]\n'),
  'nested without end': (file: string) => writeFileSync(file, `{"extra":${'['.repeat(20_000)}${']'.repeat(20_000)}}\n`),
}
const files: [string, string, number][] = [
  [`${run}/run.json`, 'the run starts again', 3],
  [`${run}/transcript.jsonl`, 'the run starts again', 3],
  [`${run}/timing.json`, 'written again from run.json', 2],
  [`${run}/outputs/metrics.json`, 'written again from run.json', 2],
  [`${run}/grading.json`, 'the run is graded again', 2],
  ['plan.json', 'written again', 2],
  ['benchmark.json', 'written again', 2],
]
const noFiles = {
  'a folder': (file: string) => {
    rmSync(file)
    mkdirSync(path.join(file, 'inside'), { recursive: true })
  },
  'a link to itself': (file: string) => {
    rmSync(file, { force: true })
    symlinkSync(path.basename(file), file)
  },
}
const read = files.filter(([name]) => !/plan|benchmark|run\.json$/.test(name))
const table = [
  ...Object.entries(noFiles).flatMap(([how, damage]) => read.map((row) => [...row, how, damage] as const)),
  ...files.map((row) => [...row, 'cut off', cut] as const),
  ...Object.entries(damages).map(
    ([how, damage]) => [`${run}/run.json`, 'the run starts again', 3, how, damage] as const,
  ),
]

describe('bench', () => {
  test.each(table)('%s: %s (%i runs in all) when it is %s', async (name, mended, runs, _how, damage) => {
    const file = path.join(made.folder, name)
    damage(file)
    const end = await made.bench()
    expect(end.code, end.stderr).toBe(0)
    const told = end.stderr.split('\n').filter((line) => line.startsWith('damaged '))
    expect(told).toEqual([expect.stringContaining(mended)])
    expect(told[0]).toContain(file)
    expect(made.starts()).toBe(runs)
    expect(readdirSync(path.dirname(made.folder))).toHaveLength(1)
    expect(() =>
      readFileSync(file, 'utf8')
        .trim()
        .split('\n{')
        .slice(0, 1)
        .map((text) => JSON.parse(text)),
    ).not.toThrow()
  })
  test('nothing is told where nothing is damaged', async () => {
    expect((await made.bench()).stderr).not.toContain('damaged')
    expect(made.starts()).toBe(2)
  })
  test('a damaged plan of another benchmark is ignored', async () => {
    cut(path.join(made.folder, 'plan.json'))
    const end = await made.bench(['--max-turns', '7'])
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr).toMatch(/^damaged .*plan\.json.*ignored$/m)
    expect(readdirSync(path.dirname(made.folder))).toHaveLength(2)
  })
})

describe('reports that were not all written', () => {
  const report = () => path.join(made.folder, 'report.html')
  const wrote = async () => {
    const end = await made.bench()
    expect(end.code, end.stderr).toBe(0)
    expect(readFileSync(report(), 'utf8')).toContain('</html>')
    expect(made.starts()).toBe(2)
    expect(readdirSync(path.dirname(made.folder))).toHaveLength(1)
    expect(existsSync(path.join(made.folder, '.reporting'))).toBe(false)
  }
  test('since something lies in the way of the page: the same bench writes them, and runs nothing', async () => {
    rmSync(report())
    mkdirSync(path.join(report(), 'in/the/way'), { recursive: true })
    expect((await made.bench()).code).toBe(2)
    expect(JSON.parse(readFileSync(path.join(made.folder, 'benchmark.json'), 'utf8')).complete).toBe(true)
    rmSync(report(), { recursive: true })
    await wrote()
  })
  test('since no file may grow so large: ends with 3, the folder and the fix', async () => {
    const limited = 'trap "" XFSZ; ulimit -f 100; exec "$0" "$@"'
    const end = await made.bench([], limited)
    expect(end.code, end.stderr).toBe(3)
    expect(end.stderr).toMatch(/^error: EFBIG.* \(.*\)$/m)
    expect(end.stderr).toContain(`(${made.folder})`)
    expect(end.stderr).toMatch(
      /^hint: free the missing resource .*then the same command writes them, and nothing is run again$/m,
    )
    await wrote()
  })
  test('since it was killed between benchmark.json and the page', async () => {
    expect((await made.bench()).code).toBe(0)
    rmSync(report())
    writeFileSync(path.join(made.folder, '.reporting'), '')
    await wrote()
  })
  test('aggregate that breaks off takes no whole benchmark for one to go on in', async () => {
    expect((await made.bench()).code).toBe(0)
    rmSync(report())
    mkdirSync(path.join(report(), 'in/the/way'), { recursive: true })
    expect((await runMain(['aggregate', made.folder])).code).toBe(2)
    expect(existsSync(path.join(made.folder, '.reporting'))).toBe(false)
  })
  test('a link under the name of the mark leads to nothing that is written', async () => {
    const notes = path.join(fresh(), 'notes.txt')
    writeFileSync(notes, 'mine')
    symlinkSync(notes, path.join(made.folder, '.reporting'))
    await wrote()
    expect(readFileSync(notes, 'utf8')).toBe('mine')
  })
  test('control: of a benchmark whose reports were written another is begun', async () => {
    expect((await made.bench()).code).toBe(0)
    await made.bench()
    expect(readdirSync(path.dirname(made.folder))).toHaveLength(2)
  })
})

describe('a folder, or a link to itself, in the place of a file that is noted in', () => {
  const notes = (name: string, content: string) => {
    const file = path.join(made.folder, name)
    writeFileSync(file, content)
    return file
  }
  const lease = '.lease-00ff00ff00ff00ff.json'
  const budget = ['--budget', '5', '--cost-per-run', '0.1']
  test.each([
    ['a folder', lease, []],
    ['a link to itself', lease, []],
    ['a folder', 'spent.jsonl', budget],
    ['a link to itself', 'spent.jsonl', budget],
  ] as const)('%s: %s is named, with 2', async (how, name, flags) => {
    const file = notes(name, '')
    noFiles[how](file)
    const end = await made.bench([...flags])
    expect(end.code, end.stderr).toBe(2)
    expect(end.stderr).toMatch(/^error: .*\)$/m)
    expect(end.stderr).toContain(`(${file})`)
  })
})

describe('a value nested without end inside an artefact', () => {
  const deepen = (name: string) => {
    const file = path.join(made.folder, run, name)
    const more = `"extra":${'['.repeat(20_000)}${']'.repeat(20_000)}`
    writeFileSync(file, readFileSync(file, 'utf8').replace('{', `{${more},`))
    return file
  }
  test.each([
    ['grading.json', ['aggregate']],
    ['grading.json', ['grade']],
  ])('%s: %j names it, and goes on', async (name, command) => {
    const file = deepen(name)
    const end = await runMain([...command, made.folder])
    expect([0, 3], end.stderr).toContain(end.code)
    expect(end.stderr).toMatch(new RegExp(`${file}: nested deeper than 200 levels`))
  })
})

describe('grade --anew of a run whose transcript is damaged', () => {
  const transcript = () => path.join(made.folder, run, 'transcript.jsonl')
  const grading = () => path.join(made.folder, run, 'grading.json')
  const ways: [string, () => void][] = [
    ['cut off', () => cut(transcript())],
    [
      'cut off between two lines',
      () => writeFileSync(transcript(), `${readFileSync(transcript(), 'utf8').split('\n')[0]}\n`),
    ],
    ['empty', () => damages.empty(transcript())],
    ['of another kind', () => damages['JSON of another kind'](transcript())],
  ]
  const told = (text: string) => text.split('\n').filter((line) => line.startsWith('damaged '))
  test.each(ways)('%s: it is named, and the earlier grading stays', async (_, damage) => {
    const before = readFileSync(grading(), 'utf8')
    damage()
    const end = await runMain(['grade', made.folder, '--anew'])
    expect(end.code, end.stderr).toBe(0)
    expect(told(end.stderr)).toEqual([expect.stringMatching(/run-1\/transcript\.jsonl.*it is not graded/)])
    expect(readFileSync(grading(), 'utf8')).toBe(before)
  })
  test('gone, where no judge would read it: its checks decide as before', async () => {
    const before = JSON.parse(readFileSync(grading(), 'utf8')).expectations
    rmSync(transcript())
    const end = await runMain(['grade', made.folder, '--anew'])
    expect(end.code, end.stderr).toBe(0)
    expect(told(end.stderr)).toEqual([])
    expect(JSON.parse(readFileSync(grading(), 'utf8')).expectations).toEqual(before)
  })
  describe('by criteria that were changed', () => {
    const suite = path.join(skill, 'evals/evals.json')
    const withChecks = (checks: object[]) =>
      writeFileSync(suite, JSON.stringify({ skill_name: 'quick', evals: [{ ...cases[0], checks }] }))
    const suiteBefore = readFileSync(suite, 'utf8')
    afterEach(() => writeFileSync(suite, suiteBefore))
    test('it counts no more by those of before', async () => {
      cut(transcript())
      withChecks([{ type: 'not_contains', value: 'TIDY' }])
      const end = await runMain(['grade', made.folder])
      expect(end.code, end.stderr).toBe(3)
      expect(told(end.stderr)).toEqual([expect.stringContaining('is in grading-outdated.json')])
      expect(existsSync(grading())).toBe(false)
      const outdated = JSON.parse(readFileSync(path.join(path.dirname(grading()), 'grading-outdated.json'), 'utf8'))
      expect(outdated.expectations[0].passed).toBe(true)
      const { runs, counts, complete } = JSON.parse(readFileSync(path.join(made.folder, 'benchmark.json'), 'utf8'))
      expect(runs.map(({ configuration }: { configuration: string }) => configuration)).toEqual(['without_skill'])
      expect([counts.excluded, complete]).toEqual([{ missing: 1 }, false])
    })
    test('gone, and a check would read it: it is named, and not graded by what is left', async () => {
      withChecks([{ type: 'contains', value: 'TIDY', target: 'transcript' }])
      expect((await runMain(['grade', made.folder])).code).toBe(0)
      const graded = readFileSync(grading(), 'utf8')
      rmSync(transcript())
      const end = await runMain(['grade', made.folder, '--anew'])
      expect(told(end.stderr)).toEqual([expect.stringMatching(/transcript\.jsonl: is missing: it is not graded$/)])
      expect(readFileSync(grading(), 'utf8')).toBe(graded)
    })
  })
  test('without an earlier grading it has none, and the benchmark is not whole', async () => {
    cut(transcript())
    rmSync(grading())
    const end = await runMain(['grade', made.folder])
    expect(end.code, end.stderr).toBe(3)
    expect(told(end.stderr)).toHaveLength(1)
    expect(existsSync(grading())).toBe(false)
  })
  test('bench sees what was cut off between two lines, too', async () => {
    ways[1]?.[1]()
    const end = await made.bench()
    expect(told(end.stderr)).toEqual([expect.stringContaining('is cut off: it has no result: the run starts again')])
    expect(made.starts()).toBe(3)
  })
})

describe('a run or a plan that names what is outside of it', () => {
  function rewrite(
    name: string,
    change: (value: { outputs: { deleted: string[] }; runs: { files: object[] }[] }) => void,
  ) {
    const file = path.join(made.folder, name)
    const value = JSON.parse(readFileSync(file, 'utf8'))
    change(value)
    writeFileSync(file, JSON.stringify(value))
  }
  const out = '../../../../notes.txt'
  test('grade --anew names it and leaves it out', async () => {
    rewrite(`${run}/run.json`, ({ outputs }) => outputs.deleted.push(out))
    const end = await runMain(['grade', made.folder, '--anew'])
    expect(end.code, end.stderr).toBe(3)
    const told = end.stderr.split('\n').filter((line) => line.startsWith('damaged '))
    expect(told).toEqual([expect.stringContaining('run.json: $.outputs.deleted[0]: must be a relative path below')])
    expect(end.stderr).not.toMatch(/^ +at /m)
  })
  test('bench makes it again', async () => {
    rewrite(`${run}/run.json`, ({ outputs }) => outputs.deleted.push(out))
    const end = await made.bench()
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr).toMatch(/^damaged .*run\.json: \$\.outputs\.deleted\[0\]: .*the run starts again/m)
    expect(made.starts()).toBe(3)
  })
  test('a plan with such a file is refused by its field', async () => {
    rewrite('plan.json', ({ runs }) =>
      runs[0]?.files.push({ path: out, source: '/etc/hostname', kind: 'file', sha256: 'x', bytes: 1 }),
    )
    const end = await runMain(['grade', made.folder, '--anew'])
    expect(end.code, end.stderr).toBe(2)
    expect(end.stderr).toContain('error: $.runs[0].files[0].path: must be a relative path below the folder')
    expect(end.stderr).not.toMatch(/^ +at /m)
  })
})

test.each(['eval-1-task', run, `${run}/outputs`])(
  'grade --anew writes and reads nothing through a link: %s',
  async (name) => {
    const away = path.join(fresh(), 'away')
    renameSync(path.join(made.folder, name), away)
    symlinkSync(away, path.join(made.folder, name))
    const all = () =>
      readdirSync(away, { recursive: true, encoding: 'utf8' })
        .sort()
        .map((one) => [one, statSync(path.join(away, one)).ino])
    const before = all()
    const end = await runMain(['grade', made.folder, '--anew'])
    expect(end.stderr).toContain(`damaged ${path.join(made.folder, name === 'eval-1-task' ? run : name)}: a link leads`)
    expect(end.stderr).toContain('it is not graded')
    expect(all()).toEqual(before)
  },
)

describe('aggregate and grade', () => {
  test.each([
    ['aggregate', `${run}/run.json`, 'ignored', 3],
    ['aggregate', `${run}/grading.json`, 'ignored', 3],
    ['grade', `${run}/run.json`, 'ignored', 3],
    ['grade', `${run}/grading.json`, 'graded again', 0],
  ])('%s names %s once: %s, exit %i', async (command, name, mended, code) => {
    cut(path.join(made.folder, name))
    const end = await runMain([command, made.folder])
    expect(end.code, end.stderr).toBe(code)
    const told = end.stderr.split('\n').filter((line) => line.startsWith('damaged '))
    expect(told).toEqual([expect.stringContaining(mended)])
    expect(made.starts()).toBe(2)
    expect(existsSync(path.join(made.folder, name))).toBe(true)
  })
})

test('aggregate --no-page leaves no page that tells another tale; view makes it', async () => {
  const page = path.join(made.folder, 'report.html')
  expect(existsSync(page)).toBe(true)
  const { code, stderr, stdout } = await runMain(['aggregate', made.folder, '--no-page'])
  expect(code, stderr).toBe(0)
  expect(stdout).not.toContain('report.html')
  expect(existsSync(page)).toBe(false)
  await runMain(['view', made.folder, '--no-open'])
  expect(existsSync(page)).toBe(true)
})

test('a broken line of what people said in an audit is told as what only they can mend, and stays', async () => {
  const log = path.join(path.dirname(path.dirname(made.folder)), 'audit_log.jsonl')
  writeFileSync(log, 'no JSON\n')
  const told: unknown[] = []
  const context = { ...contextAt(), emit: (event: unknown) => told.push(event) }
  const request = { folder: made.folder, candidate: null, baseline: null, force: false, agentskills: null }
  await aggregateAgain(request, context)
  expect(told).toContainEqual(
    expect.objectContaining({
      type: 'artefact_damaged',
      file: expect.stringContaining(log),
      mended: 'ignored; a person wrote this line: fix it, or label the decision again',
    }),
  )
  expect(readFileSync(log, 'utf8')).toBe('no JSON\n')
})

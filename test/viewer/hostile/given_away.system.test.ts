/** A folder that somebody gave away: links in it lead nowhere, nothing outside is written or taken away, no script comes with it. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { appendAudit } from '../../../src/store/artefacts/audit_log.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { benchHere } from '../../features/serve_page/served.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { filling } from '../filling.ts'
import { foreign } from '../foreign.ts'
import { type Staged, stage } from '../stage.ts'
import { textIn } from '../unpack.ts'

const secret = 'a secret of this machine'

/** A folder of the user's own: files that a link may lead to. */
function outside(): string {
  const folder = fresh()
  for (const [name, text] of Object.entries({
    'key.txt': secret,
    'transcript.md': secret,
    'transcript.jsonl': JSON.stringify({ type: 'user', text: secret }),
    'run.json': JSON.stringify({ final_response: secret }),
    'feedback.json': JSON.stringify({ 'eval-1': secret }),
    'sub/deep.txt': secret,
  })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  return folder
}

const all = (report: string) => textIn(readFileSync(report, 'utf8'))

describe('what lies elsewhere', () => {
  const places = ['outputs', 'run.json', 'transcript.md', 'transcript.jsonl', 'feedback.json'] as const
  const put = {
    link: (from: string, to: string) => symlinkSync(from, to),
    copy: (from: string, to: string) => cpSync(from, to, { recursive: true }),
  }
  /** What the page shows of a run that has it as a link, or as a file of its own. */
  async function shown(name: (typeof places)[number], how: keyof typeof put): Promise<string> {
    const folder = foreign()
    const run = name === 'feedback.json' ? folder : path.join(folder, 'first/without_skill/run-1')
    const target = outside()
    if (name === 'outputs') execFileSync('rm', ['-r', path.join(run, name)])
    put[how](name === 'outputs' ? target : path.join(target, name), path.join(run, name))
    const end = await runMain(['view', folder, '--no-open'])
    expect(end.code, end.stderr).toBeLessThan(4)
    return all(path.join(folder, 'report.html'))
  }
  test.each(places)('a link is not followed: %s', async (name) => {
    expect(await shown(name, 'link')).not.toContain(secret)
  })
  test.each(places)('negative control: a file of its own is shown: %s', async (name) => {
    expect(await shown(name, 'copy')).toContain(secret)
  })

  test('a run that is a link, in a benchmark of ours', async () => {
    const folder = await benchHere(tidyAgent, 1)
    const run = path.join(folder, 'eval-1-task/with_skill/run-1')
    const away = path.join(fresh(), 'run-1')
    cpSync(run, away, { recursive: true })
    writeFileSync(path.join(away, 'outputs/key.txt'), secret)
    execFileSync('rm', ['-r', run])
    symlinkSync(away, run)
    await runMain(['view', folder, '--no-open'])
    expect(all(path.join(folder, 'report.html'))).not.toContain(secret)
  })

  test('a pipe in the place of a transcript holds nothing up', { timeout: 20_000 }, async () => {
    const folder = foreign()
    execFileSync('mkfifo', [path.join(folder, 'first/without_skill/run-1/transcript.jsonl')])
    expect((await runMain(['view', folder, '--no-open'])).stdout).toContain('report.html')
  })
})

const benchmark = aggregate(inputOf([...arm(1, 'with_skill', ['+', '+', '+', '+', '+', '+'])]))
const runs = benchmark.runs.map(({ eval_id, configuration, run_number }, seed) => {
  return { eval_id, configuration, run_number, outputs: { 'a.txt': filling(seed) } }
})
const data = ({ folder }: Staged, name = '') => path.join(folder, 'report.data', name)
const scripts = (one: Staged) => readdirSync(data(one)).filter((name) => name.endsWith('.js'))

describe('files beside the page', () => {
  test('report.data that is a link: what it leads to stays, and a folder takes its place', async () => {
    const one = await stage({ benchmark, runs })
    expect(scripts(one).length).toBeGreaterThan(0)
    const own = outside()
    execFileSync('rm', ['-r', data(one)])
    symlinkSync(own, path.join(one.folder, 'report.data'))
    await one.again()
    expect(readdirSync(own).sort()).toEqual(
      'feedback.json key.txt run.json sub transcript.jsonl transcript.md'.split(' '),
    )
    expect(scripts(one).length).toBeGreaterThan(0)
  })

  test('a link among them: what it leads to stays as it is', async () => {
    const one = await stage({ benchmark, runs })
    const key = path.join(outside(), 'key.txt')
    for (const name of [scripts(one)[0] ?? '', 'stamps.json']) {
      execFileSync('rm', [data(one, name)])
      symlinkSync(key, data(one, name))
    }
    await one.again()
    expect(readFileSync(key, 'utf8')).toBe(secret)
    expect(readFileSync(data(one, scripts(one)[0]), 'utf8')).toMatch(/^whetstone\(/)
  })

  test('what else lies there stays; what is wanted no more goes', async () => {
    const one = await stage({ benchmark, runs })
    for (const name of ['mine.txt', 'run-old-00000000.js']) writeFileSync(data(one, name), 'x')
    await one.again()
    expect([existsSync(data(one, 'mine.txt')), existsSync(data(one, 'run-old-00000000.js'))]).toEqual([true, false])
  })

  test('one that came with the folder is written again, whatever its stamps say', async () => {
    const one = await stage({ benchmark, runs })
    const name = scripts(one)[0] ?? ''
    writeFileSync(data(one, name), 'evil()')
    await one.again()
    // negative control: what lies where it was made is held to be ours
    expect(readFileSync(data(one, name), 'utf8')).toBe('evil()')
    const packed = path.join(fresh(), 'packed')
    for (const [from, to] of [
      [one.folder, packed],
      [packed, one.folder],
    ] as const) {
      execFileSync('cp', ['-a', from, to])
      execFileSync('rm', ['-r', from])
    }
    await one.again()
    expect(readFileSync(data(one, name), 'utf8')).toMatch(/^whetstone\(/)
  })
})

test('audit_log.jsonl that is a link: nothing is written through it', async () => {
  const workspace = fresh()
  const key = path.join(outside(), 'key.txt')
  symlinkSync(key, path.join(workspace, 'audit_log.jsonl'))
  const where = { benchmark: 'b', run_id: 'r', eval_id: 1, configuration: 'with_skill' as const }
  const line = {
    schema_version: 1 as const,
    id: 'x',
    at: '2026-01-01T00:00:00.000Z',
    met: true,
    judge_passed: true,
    text: '$(id)',
    ...where,
  }
  await expect(appendAudit(workspace, line)).rejects.toThrow('symbolic link')
  expect(readFileSync(key, 'utf8')).toBe(secret)
})

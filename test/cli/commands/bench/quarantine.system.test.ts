/** A quarantined case runs and is reported, but counts in no number, gate or exit code; owners are named next to their cases. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmark } from '../../../../schemas/benchmark.ts'
import { fresh, makeSkill } from '../../../e2e/program.ts'
import { runMain, tidyAgent } from '../../run_main.ts'

const good = { id: 1, name: 'good', prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }], owner: 'ada' }
const bad = { id: 2, name: 'bad', prompt: 'task 2', checks: [{ type: 'contains', value: 'NEVER' }] }
const flaky = (quarantine: unknown) => ({ ...bad, quarantine, owners: ['bo', 'team-x'] })

async function bench(evals: object[], ...flags: string[]) {
  const cwd = fresh()
  const reports = ['--reporter', 'junit:out.xml,markdown:out.md']
  const args = ['bench', makeSkill(evals), '--engine', tidyAgent, '--workspace', 'ws']
  const runs = flags.includes('--until') ? [] : ['--runs', '2']
  const end = await runMain([...args, ...runs, '--json', ...reports, ...flags], { cwd })
  const line = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
  const file = path.resolve(cwd, line.folder ?? '', 'benchmark.json')
  const result = existsSync(file) ? benchmark.parse(JSON.parse(readFileSync(file, 'utf8'))) : null
  const read = (file: string) => readFileSync(path.join(cwd, file), 'utf8')
  return { end, result, read, args, cwd }
}

const gate = ['--gate', 'pass_rate == 1']

/** Times differ between two benchmarks, and on a busy machine by enough for a note. */
function withoutTimes(json = ''): string {
  return json
    .replaceAll(/"(time_seconds|tokens)":(\{[^}]*\}|"[^"]*")/g, '')
    .replaceAll(/"With the skill runs take [^"]*",?/g, '')
}

describe('bench', () => {
  test('the numbers are those without the case', async () => {
    const [alone, withIt] = [await bench([good], ...gate), await bench([good, flaky('#12')], ...gate)]
    expect([alone.end.code, withIt.end.code], withIt.end.stderr).toEqual([0, 0])
    for (const part of ['run_summary', 'notes', 'complete'] as const) {
      const [own, other] = [alone.result?.[part], withIt.result?.[part]].map((one) => withoutTimes(JSON.stringify(one)))
      expect(other).toBe(own)
    }
    const difference = withIt.result?.statistics?.scopes?.these_cases.difference
    expect(difference).toMatchObject({ mean: 1, n_cases: 1 })
    expect(withIt.result?.counts).toMatchObject({ planned: 8, used: 4, quarantined: 4, excluded: {} })
  })
  test('without quarantine the same case fails the gate', async () => {
    const { end, result } = await bench([good, bad], ...gate)
    expect([end.code, result?.counts?.used]).toEqual([1, 8])
  })
  test('the case is reported, apart and with its owners', async () => {
    const { result, read } = await bench([good, flaky('#12')])
    const apart = result?.excluded_runs?.map(({ eval_id, reason, message }) => [eval_id, reason, message])
    expect(apart).toEqual(Array(4).fill([2, 'quarantined', '0 of 1 passed (#12)']))
    const markdown = read('out.md')
    expect(markdown).toContain('1 quarantined case is not in these numbers: bad.')
    expect(markdown).toMatch(/\| 1 good \|.*\| ada \|\n\| 2 bad \(quarantined\) \| – \| – \| – \| bo, team-x \|/)
    expect(markdown, 'names are on the left').toMatch(
      /\| difference \| owners \|\n\| --- \| ---: \| ---: \| ---: \| --- \|/,
    )
    const junit = read('out.xml')
    expect(junit).toContain('<property name="owner" value="ada"/>')
    expect(junit).toMatch(
      /<property name="owner" value="team-x"\/>\n\s*<\/properties>\n\s*<skipped message="quarantined">/,
    )
    expect(junit).not.toContain('<failure')
  })
  test('nothing that counts: refused before any run', async () => {
    const { end } = await bench([flaky(true)])
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('in quarantine, so nothing would count')])
  })
  test('--last-failed does not choose it', async () => {
    const { args, cwd } = await bench([good, flaky(true)])
    const again = await runMain([...args, '--runs', '2', '--last-failed'], { cwd })
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('No case failed')])
  })
  test('--until decided counts the other cases', async () => {
    const { result } = await bench([good, { ...good, id: 3, name: 'more' }, flaky(true)], '--until', 'decided')
    expect(result?.counts?.quarantined).toBeGreaterThan(0)
    expect(result?.statistics?.scopes?.these_cases.difference.n_cases).toBe(2)
  })
})

describe('eval', () => {
  const evaluate = async (evals: object[]) => {
    const cwd = fresh()
    const args = ['eval', makeSkill(evals), '--engine', tidyAgent, '--reporter', 'junit:out.xml']
    const end = await runMain(args, { cwd })
    return { ...end, junit: readFileSync(path.join(cwd, 'out.xml'), 'utf8') }
  }
  test('a quarantined failure ends with 0 and is shown', async () => {
    const end = await evaluate([good, flaky(true)])
    expect([end.code, end.stdout]).toEqual([0, expect.stringContaining('1 of 1 passed')])
    expect(end.stdout).toContain('FAIL (quarantined)')
    expect(end.stdout).toContain('1 quarantined case is not in these numbers: bad.')
    expect(end.stdout).toContain('owners: bo, team-x')
    expect(end.junit).not.toContain('<failure')
    expect(end.junit).toContain('<skipped message="quarantined: ')
  })
  test('without quarantine it ends with 1', async () => {
    const end = await evaluate([good, bad])
    expect([end.code, end.junit]).toEqual([1, expect.stringContaining('<failure')])
  })
})

describe('evals.json', () => {
  const check = async (evals: object[]) => {
    const end = await runMain(['check', makeSkill(evals), '--json'])
    return JSON.parse(end.stdout).skills[0].problems as { rule: string; message: string }[]
  }
  test('check warns about a quarantined case', async () => {
    expect(await check([good, flaky('#12')])).toContainEqual(
      expect.objectContaining({ rule: 'case-quarantined', message: expect.stringContaining('(#12)') }),
    )
    expect((await check([good, bad])).map(({ rule }) => rule)).not.toContain('case-quarantined')
  })
  test.each([[false], [null]])('%j counts', async (quarantine) => {
    expect((await check([{ ...good, quarantine }])).map(({ rule }) => rule)).not.toContain('case-quarantined')
  })
})

/** --reporter of triggers and test: JUnit, Markdown, JSON and GitHub, from real runs; hostile words make no line, tag or link. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { measured } from '../../features/triggers/triggers_stage.ts'
import { mistakes } from '../../phases/4-report/xml_schema.ts'
import { copyOfExample } from '../eval/aam.ts'
import { fresh } from '../program.ts'

const hostile = 'Sort my notes <b>&"\n::error title=x::forged\n| a | b | [click](http://x) @all \u0007\u202E'

/** Flags for a report of each kind in a new folder, and what was written. */
function allReports() {
  const folder = fresh()
  const at = (name: string) => path.join(folder, name)
  const flag = `junit:${at('deep/r.xml')},markdown:${at('r.md')},json:${at('r.json')},github`
  return { args: ['--reporter', flag], read: (name: string) => readFileSync(at(name), 'utf8') }
}

const set = [
  { query: 'Please sort out my notes', should_trigger: true },
  { query: hostile, should_trigger: false },
  { query: 'Clean up these jottings', should_trigger: true },
]

describe('triggers', () => {
  const asked = (more: { scenario?: object; args: readonly string[] }) =>
    measured({ engine: 'anthropic', model: 'keyword', set, ...more, args: ['--sandbox', 'off', ...more.args] })

  test('a test a gate and a query, a table for people, all of it as JSON, annotations', async () => {
    const { args, read } = allReports()
    const gates = ['--gate', 'recall >= 90%', '--gate', 'passed >= 1']
    const { end, made } = await asked({ args: ['--runs', '2', ...gates, ...args] })
    expect(end.code, end.stderr).toBe(1)
    const xml = read('deep/r.xml')
    expect(await mistakes(xml)).toEqual([])
    expect(xml).toMatch(/<testsuite name="tidy" tests="5" failures="3" errors="0"/)
    expect(xml).toContain('<testcase name="recall &gt;= 90%" classname="tidy.gates" time="0.000">')
    expect(xml).toContain('<failure message="triggered in 2 of 2 runs, should not trigger">')
    const markdown = read('r.md')
    expect(markdown).toMatch(/^\| WRONG \| 3 Clean up these jottings \| yes \| 0\/2 \|/m)
    expect(markdown).toMatch(/^- gate failed: recall &gt;= 90% \(is 0\.5/m)
    expect(markdown).not.toMatch(/<b>|\[click\]\(|@all|\u202E/)
    expect(JSON.parse(read('r.json'))).toMatchObject({ triggers: made, gates: [{ passed: false }, { passed: true }] })
    const notices = end.stderr.split('\n').filter((line) => line.startsWith('::'))
    expect(notices.map((line) => line.split('::')[1])).toEqual([
      'notice title=tidy',
      'error title=tidy',
      'warning title=tidy',
      'warning title=tidy',
    ])
  })
})

describe('test', () => {
  test('a suite a skill and an event, a test a file; what fails says why', async () => {
    const folder = copyOfExample((replace) => {
      replace('skills/csv-sum/tests/cases/02-json.yaml', 'name: ', 'name: <b>::error::x ')
      replace('hooks/scripts/guard.mjs', 'process.exit(2)', '')
    })
    const { args, read } = allReports()
    const end = await runMain(['test', folder, '--sandbox', 'off', ...args])
    expect(end.code, end.stderr).toBe(1)
    const xml = read('deep/r.xml')
    expect(await mistakes(xml)).toEqual([])
    expect(xml).toMatch(/<testsuite name="ledger skill:csv-sum" tests="3" failures="0" errors="0"/)
    expect(xml).toMatch(/<testsuite name="ledger hook:pre-tool-use" tests="2" failures="1" errors="0"/)
    expect(xml).toMatch(/<failure message="[^"]*exit[^"]*">[\s\S]*01-blocks-closed\.yaml<\/failure>/)
    expect(read('r.md')).toMatch(/^\| fail \| hook:pre-tool-use \| 01-blocks-closed/m)
    expect(read('r.md')).not.toContain('<b>')
    expect(JSON.parse(read('r.json')).summary).toMatchObject({ passed: 4, failed: 1 })
    expect(end.stderr.split('\n').filter((line) => line.startsWith('::'))).toEqual([
      '::notice title=ledger::4 of 5 passed, 1 failed, 0 could not be run',
      expect.stringMatching(/^::error title=hook%3Apre-tool-use 01-blocks-closed/),
    ])
  })
})

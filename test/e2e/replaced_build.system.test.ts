/** A benchmark that is under way ends with all of its reports, also where the program is replaced in between. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { benchmark } from '../../schemas/benchmark.ts'
import { fresh, makeSkill, whetstone } from './program.ts'

const root = path.join(import.meta.dirname, '../..')
const parts = ['program', 'src', 'viewer', 'schemas']

/** The program in a folder of its own. */
function copyProgram(): string {
  const copy = fresh()
  for (const part of ['package.json', ...parts.map((name) => `dist/${name}`)]) {
    cpSync(path.join(root, part), path.join(copy, part), { recursive: true })
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  return copy
}

/** Every file is there, with another text. */
function replace(copy: string): void {
  for (const part of parts) {
    for (const entry of readdirSync(path.join(copy, 'dist', part), { recursive: true, withFileTypes: true })) {
      const text = entry.name.endsWith('.js') ? 'throw new Error("another version")' : '{{another version'
      if (entry.isFile()) writeFileSync(path.join(entry.parentPath, entry.name), text)
    }
  }
}

test('a benchmark whose program is replaced by another version while an agent works writes all of its reports', async () => {
  const copy = copyProgram()
  const [started, go] = [path.join(copy, 'started'), path.join(copy, 'go')]
  const agent = path.join(copy, 'agent.sh')
  writeFileSync(agent, `touch '${started}'; while [ ! -e '${go}' ]; do sleep 0.1; done; echo TIDY`)
  const judge = `command:${process.execPath} ${path.join(root, 'test/fixtures/judges/lenient.mjs')}`
  const skill = makeSkill([
    { id: 1, prompt: 'Tidy up.', expectations: ['It is tidy'], checks: [{ type: 'contains', value: 'TIDY' }] },
  ])
  const workspace = path.join(copy, 'workspace')
  mkdirSync(workspace)
  const junit = path.join(copy, 'junit.xml')
  const ended = whetstone(
    [
      ...['bench', skill, '--engine', `command:sh ${agent}`, '--judge', judge, '--runs', '1', '--workspace', workspace],
      ...['--sandbox', 'off', '--gate', 'pass_rate >= 0', '--reporter', `junit:${junit}`],
    ],
    { shell: `shift; exec "$0" '${path.join(copy, 'dist/program/bin.js')}' "$@"` },
  )
  await expect.poll(() => existsSync(started)).toBe(true)
  replace(copy)
  writeFileSync(go, '')
  const { code, stdout, stderr } = await ended
  expect(code, stderr).toBe(0)
  expect(stdout).toContain('gate passed')
  const folder = path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
  expect(benchmark.parse(JSON.parse(read('benchmark.json')))).toMatchObject({ complete: true, counts: { used: 2 } })
  expect(read('benchmark.md')).toContain('Too easy: pass rate 100% with the skill')
  expect(read('report.html')).toMatch(/^<!doctype html>.*<script nonce.*<\/html>\s*$/is)
  expect(read('report.html').length).toBeGreaterThan(100_000) // with the program of the page
  expect(readFileSync(junit, 'utf8')).toContain('</testsuites>')
})

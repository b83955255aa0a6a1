/** A program of the user's finds the skill wherever known agents look for it; none of these places is an output. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

const program = `mkdir -p .github/workflows; echo ci > .github/workflows/ci.yml; find . -name SKILL.md | sort > found.txt`
const engine = `command:sh -c "${program}"`
const how = ['--runs', '1', '--sandbox', 'off']
const checks = [{ type: 'file_exists', path: '.github/workflows/ci.yml' }]

async function benched(flags: readonly string[], { git = false, chosen = engine } = {}) {
  const workspace = path.join(fresh(), 'ws')
  const skill = makeSkill([{ id: 1, prompt: 'tidy', checks, ...(git && { git: true }) }])
  const end = await runMain(['bench', skill, '--engine', chosen, ...how, '--workspace', workspace, ...flags])
  if (end.code === 2) return { end, outputs: () => ({ files: [], found: '' }) }
  const [at = ''] = readdirSync(path.join(workspace, 'benchmarks'))
  const outputs = (arm: string) => {
    const root = path.join(workspace, 'benchmarks', at)
    const run = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((one) => one.endsWith(`${arm}/run-1`))
    const folder = path.join(root, run ?? '', 'outputs')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
    return { files, found: readFileSync(path.join(folder, 'found.txt'), 'utf8') }
  }
  return { end, outputs }
}

const outputFiles = ['.github', '.github/workflows', '.github/workflows/ci.yml', 'found.txt', 'metrics.json']

test.each([false, true])('in every known place, with the skill only; in a repository: %s', async (git) => {
  const { end, outputs } = await benched([], { git })
  expect([end.code, end.stderr]).toEqual([0, expect.any(String)])
  const tops = ['.agents', '.claude', '.gemini', '.github', '.pi', '.qwen']
  const found = outputs('with_skill').found.trim().split('\n')
  expect(found.map((one) => one.replace(/\/[^/]+\/SKILL\.md$/, ''))).toEqual(tops.map((top) => `./${top}/skills`))
  expect(outputs('without_skill').found).toBe('')
  expect(outputs('with_skill').files).toEqual(outputFiles)
  expect(outputs('without_skill').files).toEqual(outputFiles)
})

test('--skills-folder names the only one', async () => {
  const { end, outputs } = await benched(['--skills-folder', 'tools/skills/'])
  expect([end.code, end.stderr]).toEqual([0, expect.any(String)])
  expect(outputs('with_skill').found).toMatch(/^\.\/tools\/skills\/[^/]+\/SKILL\.md\n$/)
  expect(outputs('with_skill').files).not.toContain('tools/skills')
})

test.each([
  ['../skills', 'expected a path below the working folder'],
  ['/skills', 'expected a path below the working folder'],
  ['.git/skills', 'expected a path below the working folder'],
])('--skills-folder %s is refused', async (folder, message) => {
  const { end } = await benched(['--skills-folder', folder])
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
})

test('an engine that looks in its own folder refuses another', async () => {
  const { end } = await benched(['--skills-folder', 'a'], { chosen: 'codex' })
  expect(end.code).toBe(2)
  expect(end.stderr).toContain('not supported by the engine codex: it looks for skills in .agents/skills')
})

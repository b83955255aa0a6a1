/** A program of the user's finds the skill wherever known agents look for it; none of these places is an output. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { bench, newestIn, tidyCases } from '../bench/benched.ts'
import { makeSkill } from '../program.ts'

const program = `mkdir -p .github/workflows; echo ci > .github/workflows/ci.yml; find . -name SKILL.md | sort > found.txt`

async function benched(flags: readonly string[], git = false) {
  const skill = makeSkill([{ ...tidyCases(1)[0], ...(git && { git: true }) }])
  const engine = `command:sh -c "${program}"`
  const end = await bench({ skill, engine }, '--runs', '1', '--sandbox', 'off', ...flags)
  expect(end.code, end.stderr).toBe(0)
  const { folder, read } = newestIn(end.workspace)
  return (arm: string) => {
    const outputs = `eval-1-task-1/${arm}/run-1/outputs`
    const files = readdirSync(path.join(folder, outputs), { recursive: true, encoding: 'utf8' }).sort()
    return { files, found: read(`${outputs}/found.txt`) }
  }
}

const files = ['.github', '.github/workflows', '.github/workflows/ci.yml', 'found.txt', 'metrics.json']

test.each([false, true])('in every known place, with the skill only; in a repository: %s', async (git) => {
  const outputs = await benched([], git)
  const tops = ['.agents', '.claude', '.gemini', '.github', '.pi', '.qwen']
  const found = outputs('with_skill').found.trim().split('\n')
  expect(found.map((one) => one.replace(/\/[^/]+\/SKILL\.md$/, ''))).toEqual(tops.map((top) => `./${top}/skills`))
  expect(outputs('without_skill')).toEqual({ files, found: '' })
  expect(outputs('with_skill').files).toEqual(files)
})

test('--skills-folder names the only one; an engine that looks in its own folder refuses another', async () => {
  const made = (await benched(['--skills-folder', 'tools/skills/']))('with_skill')
  expect(made.found).toMatch(/^\.\/tools\/skills\/[^/]+\/SKILL\.md\n$/)
  expect(made.files).not.toContain('tools/skills')
  const other = await bench({ engine: 'codex' }, '--skills-folder', 'a')
  const message = 'not supported by the engine codex: it looks for skills in .agents/skills'
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining(message)])
})

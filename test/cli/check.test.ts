/** `whetstone check` at its edge: exit codes, the JSON document, the listing. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkReport } from '../../schemas/check_report.ts'
import { fresh, makeSkill } from '../e2e/program.ts'
import { runMain } from './run_main.ts'

const one = (id: number) => ({ id, prompt: `Tidy room ${id}`, expectations: [`Room number ${id} holds no paper`] })
const nine = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(one)
const sound = makeSkill(nine)
const small = makeSkill([one(1)])
const wrong = makeSkill([{ ...one(1), prompt: '' }, ...nine.slice(1, 6)])
const empty = fresh()
const linked = makeSkill([])
rmSync(path.join(linked, 'evals/evals.json'))
symlinkSync('gone.json', path.join(linked, 'evals/evals.json'))
const echo = makeSkill([{ id: 1, prompt: 'p', checks: [{ type: 'not_contains', value: 'x' }] }])

const plugin = pluginOf(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'])

/** A plugin with one skill, and a suite with a case of each of these names. */
function pluginOf(names: readonly string[]): string {
  const root = fresh()
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
  }
  write('skills/tidy/SKILL.md', '---\nname: tidy\ndescription: Tidies things up.\n---\n\nSay so.\n')
  for (const name of names) {
    write(`evals/${name}/prompt.md`, `Clear the room ${name}.`)
    write(`evals/${name}/graders/clear.md`, '---\ntype: llm\n---\nThe room is clear.\n')
    write(`evals/${name}/graders/quiet.md`, '---\ntype: tool_used\ntool: Bash\nmin: 0\nmax: 0\n---\n')
  }
  return root
}

describe('the exit code', () => {
  test.each<[string, string[], number]>([
    ['no problem', [sound], 0],
    ['a warning', [small], 0],
    ['a warning with --fail-on warning', [small, '--fail-on', 'warning'], 1],
    ['an error', [sound, wrong], 1],
    ['a plugin', [plugin, '--fail-on', 'warning'], 0],
    ["a plugin's suite", [path.join(plugin, 'evals'), '--fail-on', 'warning'], 0],
    ["a plugin's skill", [path.join(plugin, 'skills/tidy'), '--suite', plugin, '--fail-on', 'warning'], 0],
    ["a plugin's only skill, which has its suite", [path.join(plugin, 'skills/tidy'), '--fail-on', 'warning'], 0],
    ['a suite that is not there', [sound, '--suite', 'gone'], 2],
    ['nothing to read', [empty], 2],
    ['a suite that is a link that leads nowhere', [linked], 2],
    ['nothing to read wins over an error', [wrong, empty], 2],
    ['an empty answer that passes', [echo, '--null'], 1],
    ['the same without --null', [echo], 0],
    ['no skill', [], 2],
    ['a judge with nothing to judge', [sound, '--judge', 'anthropic:haiku'], 2],
    ['an unknown severity', [sound, '--fail-on', 'info'], 2],
  ])('of %s', async (_, args, code) => expect((await runMain(['check', ...args])).code).toBe(code))
})

test('--json is one document that keeps its schema', async () => {
  const { stdout } = await runMain(['check', sound, wrong, empty, '--json'])
  const report = checkReport.parse(JSON.parse(stdout))
  expect(report.skills.map(({ path, readable, problems }) => [path, readable, problems.length])).toEqual([
    [sound, true, 0],
    [wrong, true, 2],
    [empty, false, 2],
  ])
  expect(report.counts).toEqual({ error: 2, warning: 2, info: 0 })
})

test('the listing has the file, the rule and the fix of each problem, without colours in a pipe', async () => {
  const { stdout, stderr } = await runMain(['check', sound, wrong], { env: { NO_COLOR: '' } })
  expect(stdout).toContain(
    '  error   evals/evals.json $.evals[0].prompt: case 1 (case-1): no prompt [prompt-empty]\n          write what a user would ask\n',
  )
  expect(stdout).toContain('\n2 skills: 1 error, 1 warning, 0 info ')
  expect(stderr).toBe('')
})

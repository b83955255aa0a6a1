/** A plugin's suite through a whole benchmark: found by --suite, its scaffold run, its graders decided. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { plan } from '../../../schemas/plan.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'

const files = {
  'plugin.json': '{ "name": "rooms" }',
  'skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies things up.\n---\n\nSay TIDY.\n',
  'evals/fine/prompt.md': '---\ntimeout_seconds: 60\n---\n\nTidy the room.\n',
  'evals/fine/graders/says.md': '---\ntype: regex\n---\n\nTIDY\n',
  'evals/fine/graders/fired.md': '---\ntype: tool_used\ntool: Skill\n---\n',
  'evals/fine/case.yaml': 'schema_version: "1.0"\nname: fine\ncontext: { scaffold_script: start.sh }\n',
  'evals/fine/start.sh':
    "#!/usr/bin/env bash\nset -euo pipefail\necho 'it'\\''s here' > start.txt\n[[ -s start.txt ]]\n",
  'evals/stuck/prompt.md': 'Tidy the room.',
  'evals/stuck/graders/says.md': '---\ntype: regex\n---\n\nTIDY\n',
  'evals/stuck/case.yaml': 'schema_version: "1.0"\nname: stuck\ncontext: { scaffold_script: start.sh }\n',
  'evals/stuck/start.sh': 'exit 3\n',
}

test('a plugin is benched with its own suite', async () => {
  const root = fresh()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
  }
  const flags = ['--runs', '1', '--engine', tidyAgent, '--sandbox', 'off', '--json']
  const args = ['bench', 'skills/tidy', '--suite', '.', ...flags]
  expect(await runMain(args, { cwd: root })).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/fine.*tool_used: the engine command does not show .*check-undecidable/),
  })
  const { code, stdout } = await runMain([...args, '--retries', '0', '--allow-invalid'], { cwd: root })
  expect(code).toBe(3)
  const { folder } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, name), 'utf8'))
  expect(plan.parse(read('plan.json'))).toMatchObject({
    suite: { path: path.join(root, 'evals'), format: 'plugin-eval' },
    cases: [{ eval_name: 'fine', timeout_seconds: 60 }, { eval_name: 'stuck' }],
  })
  const passed = benchmark
    .parse(read('benchmark.json'))
    .runs.map((run) => [run.eval_name, run.configuration, run.result.pass_rate])
  expect(passed.filter(([name]) => name === 'fine')).toEqual([
    ['fine', 'with_skill', 1],
    ['fine', 'without_skill', 0],
  ])
  expect(read('eval-1-fine/with_skill/run-1/grading.json')).toMatchObject({
    judge_errors: [{ reason: expect.stringContaining('does not report') }], // the grader `fired`, on an engine that tells nothing
  })
  expect(read('eval-2-stuck/with_skill/run-1/run.json')).toMatchObject({ status: 'failed', error: { kind: 'setup' } })
})

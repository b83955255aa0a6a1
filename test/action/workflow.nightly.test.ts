/** The workflow of this repository that uses the action on our own skill: its job, step by step, with the real Claude Code CLI and the practice model. */
import { cpSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { claudeBinary, needs } from '../require.ts'
import { startGithub } from './github_server.ts'
import { pullRequestJob } from './pull_request.ts'
import { runWorkflowJob } from './run_job.ts'

const root = path.join(import.meta.dirname, '../..')

/** A checkout after `npm ci` and `npm run agents`. */
function checkout(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'own-'))
  for (const name of ['action.yml', 'action', 'package.json', 'skills', 'test/e2e/whetstone_skill.yaml', 'dist'])
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  for (const name of ['node_modules', '.agent-clis']) symlinkSync(path.join(root, name), path.join(folder, name))
  return folder
}

needs(
  'the claude CLI',
  claudeBinary() !== null,
  'npm run agents',
)('.github/workflows/skills.yml', () => {
  test('benches the skill that we ship and comments its verdict', { timeout: 300_000 }, async () => {
    await using github = await startGithub()
    const folder = checkout()
    const job = pullRequestJob({ repository: { folder, base: 'a'.repeat(40), head: 'b'.repeat(40) }, github })
    const end = await runWorkflowJob(job, {
      file: path.join(root, '.github/workflows/skills.yml'),
      name: 'whetstone',
      inputs: { args: '--case 1' }, // one of its six
      isDone: (script) => script.startsWith('npm '),
    })
    expect(end, end.log).toMatchObject({ outcome: 'success' })
    expect(github.ours()).toEqual([expect.stringMatching(/## whetstone: \w+[\s\S]*\| whetstone \| 100% \| /)])
    const benchmarks = path.join(folder, 'workspaces/whetstone/benchmarks')
    expect(readdirSync(benchmarks)).toHaveLength(1)
  })
})

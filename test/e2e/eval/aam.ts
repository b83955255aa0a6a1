/** The example package on the practice model, with a change where a test wants one. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { evalResult } from '../../../schemas/eval_result.ts'
import { loadScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { type Copy, practised } from '../practised.ts'
import { fresh } from '../program.ts'

const example = path.join(import.meta.dirname, '../../../workspaces/example-aam')

/** A copy of it; `change` gets a function that replaces a text in a file of it. */
export function copyOfExample(change: (replace: (file: string, old: string, text: string) => void) => void = () => {}) {
  const folder = path.join(fresh(), 'ledger')
  cpSync(example, folder, { recursive: true })
  change((name, old, text) => {
    const file = path.join(folder, name)
    const before = readFileSync(file, 'utf8')
    if (!before.includes(old)) throw new Error(`${name} does not hold ${old}`)
    writeFileSync(
      file,
      before.replace(old, () => text),
    )
  })
  return folder
}

const keys = { ANTHROPIC_API_KEY: 'practice', OPENAI_API_KEY: 'practice' }

/** eval of a package on the practice model that lies in it; `asked`: which rules answered. */
export async function evaluated(folder: string, flags: readonly string[], env: Record<string, string> = {}) {
  await using server = await startPractice({ scenario: await loadScenario(path.join(folder, 'practice.yaml')) })
  const workspace = path.join(fresh(), 'ws')
  const end = await runMain(['eval', folder, '--workspace', workspace, ...flags], {
    env: { ...keys, ANTHROPIC_BASE_URL: server.url, OPENAI_BASE_URL: `${server.url}/v1`, ...env },
  })
  const made = path.join(workspace, 'evals')
  const newest = () => path.join(made, readdirSync(made)[0] ?? '')
  const result = () => evalResult.parse(JSON.parse(readFileSync(path.join(newest(), 'eval.json'), 'utf8')))
  const read = (one: string, name: string) => {
    const found = result().cases.find(({ eval_name }) => eval_name === one)
    return readFileSync(path.join(newest(), found?.run ?? 'none', name), 'utf8')
  }
  const log = JSON.stringify(server.requests)
  return { end, result, read, log, asked: server.requests.map(({ rule }) => rule) }
}

/** `practised` in this process and without a sandbox. */
export const practisedHere = (copy: Copy, flags: readonly string[] = [], env: Record<string, string> = {}) =>
  practised(copy, ['--sandbox', 'off', ...flags], env, runMain)

/** A skill of six cases, which a practice model passes, and evals of it in one workspace. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { evalResult } from '../../../schemas/eval_result.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

export const sixCases = (value: string) =>
  ['one', 'two', 'three', 'four', 'five', 'six'].map((name, index) => ({
    ...{ id: index + 1, name, prompt: `say ${name}`, checks: [{ type: 'contains', value }] },
  }))

interface Wanted {
  /** Over the scenario in which the model says TIDY. */
  scenario?: object
  args?: readonly string[]
  /** Absent: in this process. */
  start?: (args: readonly string[], options: { env: Record<string, string> }) => ReturnType<typeof runMain>
}

export function resumeStage() {
  const skill = makeSkill(sixCases('TIDY'))
  const workspace = path.join(fresh(), 'ws')
  const ran = async ({ scenario = {}, args = [], start = runMain }: Wanted = {}) => {
    const text = JSON.stringify({ rules: [{ name: 'says', text: 'TIDY' }], ...scenario })
    await using server = await startPractice({ scenario: parseScenario(text, 'resume.yaml') })
    const place = ['--workspace', workspace, '--engine', 'anthropic:practice-1', '--retries', '0', '--sandbox', 'off']
    const command = ['eval', skill, ...place, '--concurrency', '1', '--json', ...args]
    const end = await start(command, { env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' } })
    const lines = end.stdout
      .trim()
      .split('\n')
      .map((line) => (line.endsWith('}') ? JSON.parse(line) : {}))
    const suites = (lines.at(-1)?.suites ?? []).map((one: unknown) => evalResult.parse(one))
    return {
      end,
      result: suites[0] as ReturnType<typeof evalResult.parse>,
      /** Of agents, not of the look whether the key is good. */
      asked: server.requests.filter(({ messages }) => JSON.stringify(messages).includes('say ')).length,
      planned: lines.find(({ type }) => type === 'plan_ready'),
    }
  }
  const made = path.join(workspace, 'evals')
  const folders = () => (existsSync(made) ? readdirSync(made).map((name) => path.join(made, name)) : [])
  return { skill, ran, folders }
}

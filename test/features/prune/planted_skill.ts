/** A skill of three list items on a practice model that follows them: one makes answers pass, one makes the agent take more turns, one does nothing. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Prune, pruneReport } from '../../../schemas/prune.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

export const useful = '- End every answer with `over and out`.'
export const wordy = '- Be kind, be quick, and mind what the user may have meant by it.'
const slow = '- Look into the folder before you answer.'

const skillText = `---
name: radio
description: Answers on the radio.
---

# Radio

${useful}
${wordy}
${slow}
`

const scenario = String.raw`
schema_version: 1
rules:
  - name: reads the skill
    when: { user: '^Roger', system: 'file: (?<file>\S+SKILL\.md)', turn: 1 }
    tool_calls: [{ name: [Read], input: { file_path: '{{file}}' } }]
  - name: looks around
    when: { user: '^Roger', turn: 2, result: 'Look into the folder' }
    tool_calls: [{ name: [Bash], input: { command: 'ls; true' } }]
  - name: follows the line
    when: { user: '^Roger', result: 'over and out' }
    text: 'Yes, over and out'
  - name: answers
    when: { user: '^Roger' }
    text: 'Yes.'
`

export interface PlantedSkill extends AsyncDisposable {
  skill: string
  workspace: string
  env: Record<string, string>
  /** Answers that the model has given so far. */
  requests: () => number
  prune: (...flags: string[]) => ReturnType<typeof runMain>
  result: (printed: string) => { folder: string; prune: Prune }
  text: () => string
}

export async function openPlantedSkill({
  cases = 6,
  files = {},
}: {
  cases?: number
  files?: Record<string, string>
} = {}): Promise<PlantedSkill> {
  const server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
  const evals = Array.from({ length: cases }, (_, at) => {
    return { id: at + 1, prompt: `Roger ${at + 1}?`, checks: [{ type: 'contains', value: 'over and out' }] }
  })
  const all = { 'SKILL.md': skillText, 'evals/evals.json': JSON.stringify({ skill_name: 'radio', evals }), ...files }
  const skill = makeSkill([], all, 'radio')
  const workspace = path.join(fresh(), 'ws')
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  const fixed = ['--engine', 'anthropic:practice-1', '--workspace', workspace, '--trust-suite', '--sandbox=off']
  return {
    ...{ skill, workspace, env },
    requests: () => server.requests.filter((one) => one.path === '/v1/messages').length,
    prune: (...flags) => runMain(['prune', skill, ...fixed, ...flags], { cwd: path.dirname(skill), env }),
    result: (printed) => {
      const line = printed.trim().split('\n').at(-1) ?? ''
      const { folder } = JSON.parse(line) as { folder: string }
      const file = path.join(folder, 'prune.json')
      if (!existsSync(file)) throw new Error(printed)
      return { folder, prune: pruneReport.parse(JSON.parse(readFileSync(file, 'utf8'))) }
    },
    text: () => readFileSync(path.join(skill, 'SKILL.md'), 'utf8'),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** A benchmark whose agent may tell what it knows, and the files of its workspace that hold a text. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { runMain } from '../../cli/run_main.ts'
import { textIn } from '../../viewer/unpack.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'

/** A credential of the user, which has no known form. */
export const key = 'Zk4-user-own-credential-99817'
/** What has the form of a credential. */
export const shaped = `ghp_${'aB3dE5gH1jK2mN4pQ6rS8tU0vWxYz1234567'.slice(0, 36)}`
/** The folder of the first run. */
export const run = 'eval-1-leak/with_skill/run-1'

export const checks = [
  { type: 'contains', value: 'my key is' },
  { type: 'contains', value: 'The key', path: 'answer.md' },
  { type: 'command', run: 'cat answer.md; exit 3', text: 'the command shows it' },
]

interface Setting {
  /** The program is started by this shell; absent: in this process. */
  shell?: string
  engine: string
  env: Record<string, string>
  args?: string[]
  /** What else is said of the case. */
  told?: object
}

/** Every file below the workspace that holds the text. */
export async function benched({ engine, env, args = [], shell, told = {} }: Setting) {
  const workspace = path.join(fresh(), 'ws')
  const skill = makeSkill([{ id: 1, name: 'leak', prompt: 'tell', checks, ...told }])
  const flags = ['--engine', engine, '--runs', '1', '--retries', '0', '--workspace', workspace]
  const all = ['bench', skill, ...flags, ...args]
  const end = await (shell === undefined ? runMain(all, { env }) : whetstone(all, { env, shell }))
  const files = readdirSync(workspace, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const read = files.map((one) => {
    const file = path.join(one.parentPath, one.name)
    return {
      name: path.relative(workspace, file).replace(/^benchmarks\/[^/]+\//, ''),
      // the page holds its texts packed
      text: one.name === 'report.html' ? textIn(readFileSync(file, 'utf8')) : readFileSync(file, 'latin1'),
    }
  })
  const holding = (text: string) => read.filter((one) => one.text.includes(text)).map((one) => one.name)
  return { end, holding, said: `${end.stdout}${end.stderr}` }
}

/** The model looks at its environment and says what it saw. */
export const scenario = (tool: string) => `
rules:
  - { name: looks, when: { turn: 1, tool: "^Bash$" }, tool_calls: { name: Bash, input: { command: "env; ${tool}", description: d } } }
  - { name: tells, text: "my key is {{trim lastResult}}" }
`

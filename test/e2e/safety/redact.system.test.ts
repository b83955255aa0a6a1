/** Credentials planted in every place an agent can reach are found nowhere in the workspace. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { practice } from '../../engines/stage.ts'
import { claudeBinary, needs } from '../../require.ts'
import { textIn } from '../../viewer/unpack.ts'
import { agent, fresh, makeSkill, whetstone } from '../program.ts'

const key = 'Zk4-user-own-credential-99817'
const shaped = `ghp_${'aB3dE5gH1jK2mN4pQ6rS8tU0vWxYz1234567'.slice(0, 36)}`
const checks = [
  { type: 'contains', value: 'my key is' },
  { type: 'contains', value: 'The key', path: 'answer.md' },
  { type: 'command', run: 'cat answer.md; exit 3', text: 'the command shows it' },
]

interface Setting {
  /** Started by this shell. */
  shell?: string
  engine: string
  env: Record<string, string>
  args?: string[]
  /** What else is said of the case. */
  told?: object
}

/** Every file below the workspace that holds the text. */
async function benched({ engine, env, args = [], shell, told = {} }: Setting) {
  const workspace = path.join(fresh(), 'ws')
  const skill = makeSkill([{ id: 1, name: 'leak', prompt: 'tell', checks, ...told }])
  const flags = ['--engine', engine, '--runs', '1', '--retries', '0', '--workspace', workspace]
  const end = await whetstone(['bench', skill, ...flags, ...args], { env, ...(shell && { shell }) })
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

const run = 'eval-1-leak/with_skill/run-1'
/** Root may write to what nobody can write to. */
const asOrdinary = process.getuid?.() === 0 ? 'exec setpriv --bounding-set -all "$0" "$@"' : 'exec "$0" "$@"'
const places = ['transcript.jsonl', 'transcript.md', 'stderr.log', 'run.json', 'grading.json', 'outputs/answer.md']
const reports = ['benchmark.json', 'report.html']

describe('an agent of the command engine that tells all', () => {
  test('in files that nobody can write to', async () => {
    const engine = `command:sh -c 'printf %s "$ANTHROPIC_API_KEY" > answer.md && chmod 444 answer.md; echo my key is'`
    const env = { ANTHROPIC_API_KEY: key }
    const { end, holding } = await benched({ engine, env, args: ['--sandbox', 'off'], shell: asOrdinary })
    expect(end.code, end.stderr).toBe(0)
    expect(holding(key)).toEqual([])
    expect(holding('[redacted:ANTHROPIC_API_KEY]')).toContain(`${run}/outputs/answer.md`)
  })
  test('its key and what has the form of one are redacted everywhere', async () => {
    const env = { ANTHROPIC_API_KEY: key, SHAPED: shaped }
    const { end, holding, said } = await benched({ engine: agent('leaky.mjs'), env, args: ['--pass-env', 'SHAPED'] })
    expect(end.code, end.stderr).toBe(0)
    expect([...holding(key), ...holding(key.slice(9))]).toEqual([])
    // a file is the agent's product, kept in the cache too: only the user's own values are taken out of it
    const product = ['with_skill', 'without_skill'].map((arm) => `eval-1-leak/${arm}/run-1/outputs/answer.md`)
    expect(
      holding(shaped)
        .filter((name) => !name.startsWith('.cache/'))
        .sort(),
    ).toEqual(product)
    expect(said).not.toContain(key)
    const marked = holding('[redacted:ANTHROPIC_API_KEY]')
    expect(marked).toEqual(expect.arrayContaining([...places.map((place) => `${run}/${place}`), ...reports]))
    expect(holding('[redacted:github-token]')).toEqual(
      expect.arrayContaining([`${run}/transcript.jsonl`, `${run}/stderr.log`, `${run}/grading.json`]),
    )
  })
  test('a key in a prompt, or in what is expected, stands in plan.json alone', async () => {
    const env = { ANTHROPIC_API_KEY: key }
    const told = { prompt: `use ${key}`, checks: [{ type: 'contains', value: 'x', text: `says ${shaped}` }] }
    const { end, holding } = await benched({ engine: agent('tidy.mjs'), env, told })
    expect(end.code, end.stderr).toBe(0)
    expect([holding(key), holding(shaped)]).toEqual([['plan.json'], ['plan.json']])
    expect(holding('use [redacted:ANTHROPIC_API_KEY]')).toEqual(
      expect.arrayContaining(
        ['', 'with_skill/', 'without_skill/'].map((arm) => `eval-1-leak/${arm}eval_metadata.json`),
      ),
    )
  })
  test('nor does it come out where it fails', async () => {
    const env = { ANTHROPIC_API_KEY: key }
    const { holding, said } = await benched({ engine: `${agent('leaky.mjs')} --fail`, env })
    expect(holding(key)).toEqual([])
    expect(said).not.toContain(key)
    expect(said).toContain('[redacted:ANTHROPIC_API_KEY]')
    expect(holding('it failed with [redacted:ANTHROPIC_API_KEY]')).toContain(`${run}/run.json`)
  })
  test.each([key, shaped])('a command line with a key in it is refused, since plan.json keeps it', async (spoken) => {
    const skill = makeSkill([{ id: 1, prompt: 'tell', checks }])
    const args = [
      'bench',
      skill,
      '--engine',
      `${agent('leaky.mjs')} --key=${spoken}`,
      '--workspace',
      path.join(fresh(), 'ws'),
    ]
    const end = await whetstone(args, { env: { MY_SERVICE_KEY: key } })
    expect(end.code).toBe(2)
    expect(end.stderr).toContain('the command line contains a credential')
    expect(end.stderr).not.toContain(spoken)
  })
  test('so is a server of a suite with a key', async () => {
    const environment = { mcp_servers: { tickets: { command: 'node', env: { TOKEN: shaped } } } }
    const skill = makeSkill([{ id: 1, prompt: 'tell', checks, environment }])
    const end = await whetstone([
      'bench',
      skill,
      '--engine',
      agent('leaky.mjs'),
      '--workspace',
      path.join(fresh(), 'ws'),
    ])
    expect(end).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the environment of case 1 contains a credential'),
    })
    expect(end.stderr).not.toContain(shaped)
  })
  test('negative control: the same value under a name that says no secret is found in each place', async () => {
    const { holding } = await benched({
      engine: agent('leaky.mjs'),
      env: { PLAIN_WORD: key },
      args: ['--pass-env', 'PLAIN_WORD'],
    })
    expect(holding(key)).toEqual(expect.arrayContaining([...places.map((place) => `${run}/${place}`), ...reports]))
  })
})

const scenario = (tool: string) => `
rules:
  - { name: looks, when: { turn: 1, tool: "^Bash$" }, tool_calls: { name: Bash, input: { command: "env; ${tool}", description: d } } }
  - { name: tells, text: "my key is {{trim lastResult}}" }
`

test('the tools of the anthropic engine do not have its key; what --pass-env gives them is redacted', async () => {
  await using server = await practice(scenario('true'))
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: key, OTHER_SECRET: 'Zk5-another-credential-11' }
  const { holding } = await benched({ engine: 'anthropic:practice-1', env, args: ['--pass-env', 'OTHER_SECRET'] })
  expect([...holding(key), ...holding('Zk5-another')]).toEqual([])
  const shown = JSON.stringify(server.requests)
  expect(shown).not.toContain('ANTHROPIC_API_KEY=')
  expect(shown).toContain('OTHER_SECRET=Zk5-another')
  expect(holding('OTHER_SECRET=[redacted:OTHER_SECRET]')).toContain(`${run}/transcript.jsonl`)
})

const claude = claudeBinary()
needs(
  'the claude CLI',
  claude !== null,
  'npm run agents',
)('what Claude Code runs', () => {
  const look = 'ls -a ~; cat ~/.key* 2>&1; cat /proc/$PPID/environ'
  const told = async (name: string) => {
    await using server = await practice(scenario(look))
    const env = { ANTHROPIC_BASE_URL: server.url, [name]: key, WHETSTONE_CLAUDE: claude ?? '' }
    const { end, holding } = await benched({ engine: 'claude-code:claude-practice-1', env })
    const agents = server.requests.filter((one) => one.rule === 'looks' || one.rule === 'tells')
    return { end, holding, shown: JSON.stringify(agents) }
  }
  test('does not get its API key', async () => {
    const { end, holding, shown } = await told('ANTHROPIC_API_KEY')
    expect(end.code, end.stderr).toBe(0)
    expect(shown).toContain('CLAUDE_CONFIG_DIR=')
    expect(shown).not.toContain(key)
    expect(holding(key)).toEqual([])
  })
  test('gets a placeholder of a token, which is redacted', async () => {
    const { holding, shown } = await told('ANTHROPIC_AUTH_TOKEN')
    expect(shown).toContain('ANTHROPIC_AUTH_TOKEN=whetstone-placeholder-')
    expect(shown).not.toContain(key)
    expect(holding(key)).toEqual([])
    expect(holding('ANTHROPIC_AUTH_TOKEN=[redacted:placeholder]')).toContain(`${run}/transcript.jsonl`)
  })
})

/** Credentials planted in every place an agent can reach are found nowhere in the workspace. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { practice } from '../../engines/stage.ts'
import { agent, fresh, makeSkill } from '../program.ts'
import { benched, checks, key, run, scenario, shaped } from './leaking.ts'

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
    const { end, holding } = await benched({ engine: tidyAgent, env, told })
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
    const engine = `${agent('leaky.mjs')} --key=${spoken}`
    const args = ['bench', skill, '--engine', engine, '--workspace', path.join(fresh(), 'ws')]
    const end = await runMain(args, { env: { MY_SERVICE_KEY: key } })
    expect(end.code).toBe(2)
    expect(end.stderr).toContain('the command line contains a credential')
    expect(end.stderr).not.toContain(spoken)
  })
  test('so is a server of a suite with a key', async () => {
    const environment = { mcp_servers: { tickets: { command: 'node', env: { TOKEN: shaped } } } }
    const skill = makeSkill([{ id: 1, prompt: 'tell', checks, environment }])
    const args = ['bench', skill, '--engine', agent('leaky.mjs'), '--workspace', path.join(fresh(), 'ws')]
    const end = await runMain(args)
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

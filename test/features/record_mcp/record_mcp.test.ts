/** record-mcp starts the server of a suite as bench does: listed, authorized, with no variable that the user did not name. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

const secret = 'value-of-the-secret-1'

/** A server that writes what it sees of the user's secret, and ends. */
function markingServer(more: object = {}) {
  const marker = path.join(fresh(), 'marker')
  const server = {
    command: 'sh',
    args: ['-c', `echo "seen: $K/$MY_SECRET" > '${marker}'; echo no network >&2`],
    ...more,
  }
  const skill = makeSkill([
    { id: 1, name: 'one', prompt: 'p', checks: [], environment: { mcp_servers: { t: server } } },
  ])
  const record = async (...flags: string[]) => {
    const end = await runMain(['record-mcp', skill, ...flags], { env: { MY_SECRET: secret } })
    return { ...end, seen: existsSync(marker) ? readFileSync(marker, 'utf8') : null }
  }
  return { skill, record }
}

const filled = { env: { K: `\${MY_SECRET}` } }

describe('without a sandbox', () => {
  test('the command is listed and does not start', async () => {
    const { record } = markingServer()
    const { code, stderr, seen } = await record('--sandbox', 'off')
    expect([code, seen]).toEqual([2, null])
    expect(stderr).toMatch(/MCP server +1 one +t: sh -c/)
    expect(stderr).toMatch(/error: a command of the suite would run as you, without a sandbox[\s\S]*--trust-suite/)
  })
  test('neither where a recording already stands in for it', async () => {
    const { skill, record } = markingServer()
    mkdirSync(path.join(skill, 'evals/mcp'), { recursive: true })
    writeFileSync(path.join(skill, 'evals/mcp/t.json'), JSON.stringify({ server: 't', tools: [], calls: [] }))
    expect(await record('--sandbox', 'off')).toMatchObject({ code: 2, seen: null })
  })
  test('control: with --trust-suite it starts, with no variable of the user', async () => {
    const { record } = markingServer()
    const { code, stderr, seen } = await record('--sandbox', 'off', '--trust-suite')
    expect([code, seen]).toEqual([2, 'seen: /\n'])
    expect(stderr).toContain('the MCP server t did not start (no network)')
  })
})

describe('a variable of the user', () => {
  const trusted = ['--sandbox', 'off', '--trust-suite']
  test.each([
    ['env', filled],
    ['arguments', { command: 'touch', args: [`\${MY_SECRET}`] }],
  ])('in %s is an error that names the flag', async (_, server) => {
    const { code, stderr, seen } = await markingServer(server).record(...trusted)
    expect([code, seen]).toEqual([2, null])
    expect(stderr).toContain('the MCP server t needs MY_SECRET of your environment')
    expect(stderr).toContain('--pass-env MY_SECRET')
    expect(stderr).not.toContain(secret)
  })
  test('control: --pass-env gives it', async () => {
    const { seen } = await markingServer(filled).record(...trusted, '--pass-env', 'MY_SECRET')
    expect(seen).toBe(`seen: ${secret}/${secret}\n`)
  })
  test('that is not set is to be exported first', async () => {
    const { stderr } = await markingServer({ env: { K: `\${NOT_THERE}` } }).record(...trusted)
    expect(stderr).toContain('export NOT_THERE, and add --pass-env NOT_THERE')
  })
})

test('a suite that asks for an open network gets none unasked', async () => {
  const { skill, record } = markingServer()
  const file = path.join(skill, 'evals/evals.json')
  const suite = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...suite, sandbox: { network: 'open' } }))
  const { code, stderr, seen } = await record()
  expect([code, seen]).toEqual([2, null])
  expect(stderr).toContain('--network open')
})

test('a link does not lead the recording out of the skill', async () => {
  const { skill, record } = markingServer()
  symlinkSync(fresh(), path.join(skill, 'evals/mcp'))
  const { code, stderr, seen } = await record('--sandbox', 'off', '--trust-suite')
  expect([code, seen]).toEqual([2, null])
  expect(stderr).toContain('a link in this path leads out of the skill')
})

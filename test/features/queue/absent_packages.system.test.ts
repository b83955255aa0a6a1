/** Packages that a queue needs are optional: where one is absent the message names it and what installs all that is needed; without a queue nothing is missed. */
import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { agent, fresh, makeSkill } from '../../e2e/program.ts'

const root = path.join(import.meta.dirname, '../../..')
const installed = fresh()

beforeAll(() => {
  copyFileSync(path.join(root, 'package.json'), path.join(installed, 'package.json'))
  cpSync(path.join(root, 'dist'), path.join(installed, 'dist'), { recursive: true })
})

/** Links to the packages of this folder but for those that are absent. */
function linkPackages(from: string, to: string, absent: readonly string[], scope = ''): void {
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    const [source, target, full] = [path.join(from, name), path.join(to, name), `${scope}${name}`]
    if (absent.includes(full)) continue
    if (absent.some((one) => one.startsWith(`${full}/`))) linkPackages(source, target, absent, `${full}/`)
    else symlinkSync(source, target)
  }
}

/** What the program ends with and says where these packages are absent. */
async function whetstoneWithout(absent: readonly string[], args: readonly string[], env: Record<string, string> = {}) {
  const packages = path.join(installed, 'node_modules')
  rmSync(packages, { recursive: true, force: true })
  linkPackages(path.join(root, 'node_modules'), packages, absent)
  const own = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', NO_COLOR: '1', ...env }
  const bin = path.join(installed, 'dist/program/bin.js')
  const end = promisify(execFile)(process.execPath, [bin, ...args], { cwd: fresh(), env: own, timeout: 30_000 })
  return await end.then(
    ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, said: stdout + stderr }),
  )
}

const nowhere = 'redis://127.0.0.1:1'
const status = ['queue', 'status', '--queue-wait', '0', '--queue']

test.each([
  ['bullmq', [...status, nowhere], 'npm install bullmq ioredis'],
  ['ioredis', [...status, nowhere], 'npm install bullmq ioredis'],
  ['pg', [...status, 'postgres://127.0.0.1:1/x'], 'npm install bullmq pg'],
])('without %s a queue is refused', async (name, args, fix) => {
  const { code, said } = await whetstoneWithout([name], args)
  expect(code, said).toBe(2)
  expect(said).toContain(`--queue: the package ${name} is not installed`)
  expect(said).toContain(`${fix} where whetstone is installed (with -g if whetstone is)`)
})

test('control: with all of them the same looks for the server, which is not there', async () => {
  const { code, said } = await whetstoneWithout([], [...status, nowhere])
  expect([code, said]).toEqual([3, expect.stringContaining('ECONNREFUSED')])
})

test('a benchmark on this machine misses none of them', async () => {
  const skill = makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }])
  const flags = ['--engine', agent('tidy.mjs'), '--runs', '1', '--sandbox', 'off', '--workspace', fresh()]
  const absent = ['bullmq', 'ioredis', 'pg', 'prom-client', '@opentelemetry']
  const { code, said } = await whetstoneWithout(absent, ['bench', skill, ...flags], {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
  })
  expect(code, said).toBe(0)
})

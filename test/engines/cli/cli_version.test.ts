/** A version that is asked for comes, or the question is given up: whatever the garbage collection does meanwhile. */
import { chmodSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readCliVersion } from '../../../src/engines/cli/agent_cli.ts'

const program = path.join(tmpdir(), `hangs-${process.pid}`)
let collecting: NodeJS.Timeout

beforeEach(() => {
  setFlagsFromString('--expose-gc')
  collecting = setInterval(runInNewContext('gc'), 20)
})
afterEach(() => clearInterval(collecting))

async function asked(says: string, signal: AbortSignal) {
  writeFileSync(program, `#!/bin/sh\n${says}\n`)
  chmodSync(program, 0o755)
  const env = { PATH: process.env.PATH ?? '' }
  return await readCliVersion({ program, env, leastVersion: '2.1.0', update: 'update it', signal, patienceMs: 500 })
}

test('a program that hangs is given up', { timeout: 10_000 }, async () => {
  const answer = await asked('exec sleep 1000', new AbortController().signal)
  expect(answer).toMatchObject({
    ...{ ok: false, kind: 'missing_binary', fix: expect.stringContaining(`check ${program} --version`) },
    message: `${program} --version: no end within 0.5 s`,
  })
})

test('negative control: one that answers is not', async () => {
  expect(await asked('echo 2.1.7', new AbortController().signal)).toBe('2.1.7')
})

test('who stops meanwhile hears why', async () => {
  const stop = new AbortController()
  setTimeout(() => stop.abort(new Error('stopped by the user')), 100)
  await expect(asked('exec sleep 1000', stop.signal)).rejects.toThrow('stopped by the user')
})

test('a key that it says is not told', async () => {
  const key = `sk-ant-api03-${'a1B2c3D4'.repeat(5)}`
  const answer = await asked(`echo "no login, key ${key} was refused" >&2; exit 1`, new AbortController().signal)
  expect(answer).toMatchObject({ message: expect.stringMatching(/gave no version: no login, key \S+ was refused/) })
  expect(JSON.stringify(answer)).not.toContain('a1B2c3D4')
})

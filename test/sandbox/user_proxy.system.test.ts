/** In the sandbox too, nothing sees the login of the user's own proxy, and what may be reached through it is. */
import { beforeEach, expect, test } from 'vitest'
import { runProcess } from '../../src/base/process/spawn.ts'
import { chooseSandbox, noSandboxWish } from '../../src/base/sandbox/choose.ts'
import type { SandboxPolicy } from '../../src/base/sandbox/policy.ts'
import { confine } from '../../src/phases/2-run/workspace/sandbox_policy.ts'
import { stageOfEachTest } from '../engines/stage.ts'
import { askingProgram, type LoginProxy, openLoginProxy } from '../fixtures/login_proxy.ts'
import { needsSandbox } from './needs_sandbox.ts'

const stage = stageOfEachTest()
let proxy: LoginProxy
beforeEach(async () => {
  proxy = await openLoginProxy()
  return () => proxy[Symbol.asyncDispose]()
})

async function ask(network: SandboxPolicy['network'], more: Record<string, string> = {}): Promise<string> {
  const choice = await chooseSandbox(noSandboxWish, process.env.PATH ?? '')
  const sandbox = confine(choice, { writable: [stage.cwd], hidden: [], settings: undefined })
  if (sandbox === null) throw new Error('no sandbox')
  const { stdout } = await runProcess({
    ...{ command: process.execPath, args: ['-e', askingProgram], cwd: stage.cwd },
    ...{ env: { ...stage.env, ...proxy.variables, ...more }, signal: AbortSignal.timeout(60_000) },
    sandbox: { ...sandbox, policy: { ...sandbox.policy, network } },
  })
  for (const secret of proxy.secrets) expect(stdout).not.toContain(secret)
  return stdout
}

needsSandbox("the user's own proxy", () => {
  test('is reached with an open network', async () => {
    expect(await ask('open')).toContain('200 POST /plain is here\nGET /secure is here')
  })
  test('is reached by the bridge, for the endpoint alone', async () => {
    expect(await ask({ endpoints: [`https://${proxy.target}`] })).toContain('GET /secure is here')
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${proxy.target}`]))
    const other = await ask({ endpoints: ['https://other.example'] })
    expect(other).toMatch(/^403 \n403\n/)
  })
  test('is not reached without a network', async () => {
    expect(await ask('none')).toMatch(/^ECONNREFUSED\nECONNREFUSED\n/)
    expect(proxy.asked).toEqual([])
  })
})

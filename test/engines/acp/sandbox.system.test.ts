/** The acp engine in a sandbox: nothing that is sent while the sandbox still opens is lost. */
import { expect, test } from 'vitest'
import { noSandboxWish, probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { findCommandParts } from '../../../src/base/sandbox/programs.ts'
import { createAcpEngine } from '../../../src/engines/acp/acp.ts'
import { confine } from '../../../src/phases/2-run/workspace/sandbox_policy.ts'
import { needs } from '../../require.ts'
import { agents, openStage, perform } from '../stage.ts'

const probe = await probeSandbox(process.env.PATH ?? '')
const acp = createAcpEngine({ startMs: 20_000 })

needs(
  'a sandbox',
  probe.ok,
  'install bubblewrap',
)('acp in a sandbox', () => {
  test('the second run also opens its session, now that the library is loaded', async () => {
    await using stage = await openStage()
    if (!probe.ok) return
    const program = `${agents}/acp_agent.mjs`
    const readable = await findCommandParts(['node', program])
    const parts = { writable: [stage.cwd, stage.home], readable, readOnly: [], hidden: [], settings: undefined }
    const sandbox = confine({ ...noSandboxWish, ...probe, reason: '' }, parts)
    for (const _ of [1, 2]) {
      const { outcome } = await perform(acp, stage.task({ command: `node ${program} good`, sandbox }))
      expect(outcome).toMatchObject({ status: 'completed', report: { stopReason: 'end_turn' } })
    }
  })
})

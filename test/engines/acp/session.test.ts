/** One session with an agent takes several prompts. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { startAgentProcess } from '../../../src/engines/acp/protocol/agent_process.ts'
import { AcpSession } from '../../../src/engines/acp/protocol/session.ts'
import { agents, openStage } from '../stage.ts'

test('two prompts in one session: the agent remembers, and files of both turns are there', async () => {
  await using stage = await openStage()
  const { cwd, env } = stage
  const texts: string[] = []
  const agent = startAgentProcess({
    launch: { command: process.execPath, cwd, env, sandbox: null },
    args: [path.join(agents, 'acp_agent.mjs'), 'good'],
    stderrFile: null,
    onNotification: (_, params) => texts.push(JSON.stringify(params)),
    onOtherLine: (line) => texts.push(line),
  })
  const session = await AcpSession.connect(agent.stream, ({ options }) => {
    return { outcome: 'selected', optionId: options[0]?.optionId ?? '' }
  })
  await session.initialize()
  await session.start(cwd, [])
  for (const turn of [1, 2]) {
    expect(await session.prompt(`prompt ${turn}`)).toMatchObject({ stopReason: 'end_turn' })
    expect(texts.at(-1)).toContain(`turn ${turn}, model small: all done`)
  }
  expect(session.id).toBe('session-1')
  expect((await readdir(cwd)).sort()).toEqual(['turn-1.txt', 'turn-2.txt'])
  session.close()
  agent.stop(new Error('over'))
  await expect(agent.ended).rejects.toThrow('over')
})

/** The place that a suite prepares around a case: shell commands, variables, the network by phase, files outside the working folder. */
import * as z from 'zod'

const command = z.string().min(1)
const commands = z.union([command, z.array(command).min(1)], { error: 'must be a shell command, or a list of them' })

export const setup = commands.describe(
  'shell commands run in the working folder before the agent, in both arms; a list stops at the first that fails',
)

export const teardown = commands.describe(
  'shell commands run after the agent, when its outputs are collected; a failure is a warning of the run',
)

export const caseEnv = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()], { error: 'must be text, a number or a boolean' }))
  .describe('environment variables for setup, the agent, teardown and command checks')

/** Below the home or /tmp, without ".." and without a part that begins with a dot. */
export const outsideForm = /^(?:~|\/tmp)(?:\/(?!\.)[^/\\\0]+)+$/

export const collect = z
  .array(z.string().regex(outsideForm, 'must be a path or glob that begins with ~/ or /tmp/, without hidden folders'))
  .describe('files outside the working folder that count as outputs, such as ~/report.md or /tmp/out/*.csv')

const access = z.enum(['none', 'open'])

export const networkByPhase = z.strictObject({
  setup: access.optional().describe('network of setup; absent: none'),
  agent: access.optional().describe("network of the agent's tools and of teardown; absent: none"),
  checks: access.optional().describe('network of command checks; absent: none'),
})

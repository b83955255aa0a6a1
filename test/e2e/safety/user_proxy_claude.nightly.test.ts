/** Behind a company's proxy with its own authority the real Claude Code reaches its model. */
import { beforeAll, expect, test } from 'vitest'
import { claudeBinary, needs } from '../../require.ts'
import { host, openCompany } from './company.ts'

let company: Awaited<ReturnType<typeof openCompany>>
beforeAll(async () => {
  company = await openCompany()
  return () => company.close()
})

needs(
  'the claude CLI',
  claudeBinary() !== null,
  'npm run agents',
)('the real Claude Code', () => {
  test('through the proxy and in the sandbox', async () => {
    const env = { ...company.settings, WHETSTONE_CLAUDE: claudeBinary() ?? '' }
    const { end, asked } = await company.bench('claude-code', 'anthropic:claude-sonnet-5-5', env)
    expect([end.code, end.stdout + end.stderr]).toEqual([0, expect.any(String)])
    expect(asked).toEqual([`${host}:443`])
  })
})

/** Behind a company's proxy with its own authority SDK engines and judges reach their model; without either they do not. */
import { beforeAll, expect, test } from 'vitest'
import { host, openCompany } from './company.ts'

let company: Awaited<ReturnType<typeof openCompany>>
beforeAll(async () => {
  company = await openCompany()
  return () => company.close()
})

test('an engine and a judge of another provider are reached through the proxy', async () => {
  const { end, asked } = await company.bench('anthropic:claude-sonnet-5-5', 'openai:gpt-5.4', company.settings)
  expect([end.code, end.stdout + end.stderr]).toEqual([0, expect.any(String)])
  expect(asked).toEqual([`${host}:443`])
})

test('without the proxy nothing is reached, before any run', async () => {
  const { end, asked } = await company.bench('anthropic:claude-sonnet-5-5', 'openai:gpt-5.4', {
    NODE_EXTRA_CA_CERTS: company.ca,
  })
  expect(end).toMatchObject({ code: 3, stderr: expect.stringContaining(`can't reach https://${host}`) })
  expect(asked).toEqual([])
})

test("without the company's authority its certificate is refused", async () => {
  const { end } = await company.bench('anthropic:claude-sonnet-5-5', 'openai:gpt-5.4', {
    HTTPS_PROXY: company.proxyUrl,
  })
  expect(end).toMatchObject({ code: 3, stderr: expect.stringContaining('certificate') })
})

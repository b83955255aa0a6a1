/** Whetstone and what it starts contact the servers that you name and no other, as the kernel sees it (docs/explanation/what-leaves.md). */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { needsStrace } from '../../store/durable_order.ts'
import { fresh } from '../program.ts'
import { isElsewhere, watch, watchEngine } from './contacts.ts'

needsStrace('nothing is contacted but loopback', () => {
  test('by the demo, from the plan to the report', async () => {
    const flags = ['--sandbox=off', '--trust-suite', '--concurrency', '8', '--workspace', path.join(fresh(), 'ws')]
    const end = await watch(['demo', ...flags])
    expect(end.code, end.stderr).toBe(0)
    expect(end.contacts.length).toBeGreaterThan(0)
    expect([end.contacts.filter(isElsewhere), end.names]).toEqual([[], []])
  })
  test.each(['anthropic', 'openai'])('by bench on %s', async (name) => {
    const end = await watchEngine(name)
    expect(end.code, end.stderr).toBe(0)
    expect([end.contacts.filter(isElsewhere), end.names]).toEqual([[], []])
  })
})

needsStrace('what an agent does contact', () => {
  test('is seen: a name that it asks for, and an address that it connects to', async () => {
    const script = path.join(fresh(), 'agent.mjs')
    writeFileSync(
      script,
      `import { Resolver } from 'node:dns'
import { createConnection } from 'node:net'
const resolver = new Resolver({ timeout: 200, tries: 1 })
resolver.setServers(['127.0.0.1:9'])
const asked = new Promise((end) => resolver.resolve4('telemetry.example', end))
const reached = new Promise((end) => createConnection({ host: '192.0.2.1', port: 443 }).once('error', end).setTimeout(200, end))
await Promise.all([asked, reached])
console.log('done')
process.exit()
`,
    )
    const end = await watchEngine('command', `node ${script}`)
    expect(end.code, end.stderr).toBe(0)
    expect(end.contacts.filter(isElsewhere)).toEqual(['192.0.2.1:443'])
    expect(end.names).toEqual(['telemetry.example'])
  })
})

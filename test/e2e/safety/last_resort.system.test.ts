/** An error that nothing caught: one line and the stack, no source; nothing is left at work or lying about. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { agent, fresh, makeSkill, whetstone } from '../program.ts'

const cases = [{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }]

const ways = {
  'an exception': "throw Object.assign(new Error('out of the blue'))",
  'a rejection': "Promise.reject(new Error('out of the blue'))",
}

test.each(Object.entries(ways))('%s', async (_what, code) => {
  const [top, tmp] = [fresh(), fresh()]
  const log = path.join(top, 'agent.log')
  const bug = path.join(top, 'bug.mjs')
  const once = `if (fs.existsSync(${JSON.stringify(log)})) { clearInterval(timer); ${code} }`
  writeFileSync(bug, `import fs from 'node:fs'\nconst timer = setInterval(() => { ${once} }, 50)\ntimer.unref()\n`)
  const workspace = path.join(top, 'ws')
  const args = ['bench', makeSkill(cases), '--engine', agent('tidy.mjs'), '--workspace', workspace, '--sandbox', 'off']
  const end = await whetstone([...args, '--pass-env', 'AGENT_LOG', '--pass-env', 'AGENT_MS'], {
    env: { TMPDIR: tmp, AGENT_LOG: log, AGENT_MS: '20000', NODE_OPTIONS: `--import=${bug}` },
  })
  expect(end.code, end.stderr).toBe(70)
  expect(end.stderr).toMatch(/^error: out of the blue$/m)
  expect(end.stderr).toContain('This is a bug in Whetstone.')
  for (const [, pid = ''] of readFileSync(log, 'utf8').matchAll(/start (\d+)/g)) {
    expect(existsSync(`/proc/${pid}/exe`) && /^State:\s+[^Z]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))).toBe(
      false,
    )
  }
  expect(readdirSync(tmp).filter((name) => name.startsWith('user-'))).toEqual([])
  const names = readdirSync(workspace, { recursive: true, encoding: 'utf8' })
  expect(names.filter((name) => path.basename(name).startsWith('.lease-'))).toEqual([])
})

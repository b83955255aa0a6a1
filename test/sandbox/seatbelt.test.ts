/** The command for macOS, as far as it can be known without a Mac: what its profile lets through. */
import { describe, expect, test } from 'vitest'
import { buildSeatbeltCommand } from '../../src/base/sandbox/enter_seatbelt.ts'
import type { SandboxPolicy } from '../../src/base/sandbox/policy.ts'

const room = '/private/var/folders/xy/T/whetstone-1'
const policy: SandboxPolicy = {
  readable: [],
  writable: [`${room}/work`, `${room}/home`],
  readOnly: [`${room}/work/.claude/skills/demo`],
  hidden: ['/Users/me/project/suite'],
  scratch: [],
  network: 'none',
  tmp: null,
  limits: { tmpBytes: 1, fileBytes: 1, processes: 1 },
}

const made = (more: Partial<Parameters<typeof buildSeatbeltCommand>[0]> = {}) =>
  buildSeatbeltCommand({
    policy,
    readable: ['/Users/me/.nvm/versions/node'],
    ports: [],
    env: {},
    command: ['node', "a 'b'.mjs"],
    ...more,
  })

/** The operands of the rules that begin so. */
const rule = (text: string, start: string) =>
  text
    .split(/\n(?=\()/)
    .filter((part) => part.startsWith(start))
    .join('\n')

describe('the profile', () => {
  test('denies by default, and is entered through sandbox-exec', async () => {
    expect(await made()).toMatch(/\/usr\/bin\/sandbox-exec -p '\(version 1\)\n\(deny default/)
  })
  test('shows no home and no other run, but the room and the programs', async () => {
    const text = await made()
    for (const place of ['/Users', '/private/var/folders', '/Users/me/project/suite'])
      expect(rule(text, '(deny file-read*')).toContain(`(subpath "${place}")`)
    for (const place of [`${room}/work`, `${room}/home`, '/Users/me/.nvm/versions/node'])
      expect(rule(text, '(allow file-read*')).toContain(`(subpath "${place}")`)
  })
  test('does not show a folder that holds something hidden', async () => {
    const text = await made({ readable: ['/Users/me/project', '/Users/me/project/suite/evals', '/Users/me/tools'] })
    expect(rule(text, '(allow file-read*')).toContain('(subpath "/Users/me/tools")')
    expect(rule(text, '(allow file-read*')).not.toContain('/Users/me/project')
  })
  test('lets the room be written to, the skill in it not', async () => {
    const text = await made()
    expect(rule(text, '(allow file-write*')).toContain(`(subpath "${room}/work")`)
    expect(rule(text, '(allow file-write*')).not.toContain('.claude/skills')
    expect(rule(text, '(deny file-write*')).toContain(`(subpath "${room}/work/.claude/skills/demo")`)
  })
  test('lets no network through but the ports of the bridge', async () => {
    expect(await made()).not.toContain('network-outbound')
    const text = await made({ ports: [4567] })
    expect(text.match(/\(allow network-outbound.*/g)).toEqual(['(allow network-outbound (remote ip "localhost:4567"))'])
    expect(await made({ policy: { ...policy, network: 'open' } })).toContain('(allow network*)')
  })
})

test('the command is passed word by word, with what is set inside', async () => {
  const text = await made({ env: { TMPDIR: `${room}/home/tmp`, HTTPS_PROXY: '' } })
  const unquoted = text.replaceAll(`'"'"'`, `'`)
  expect(unquoted).toContain(`TMPDIR=${room}/home/tmp HTTPS_PROXY= node 'a '"'"'b'"'"'.mjs'`)
})

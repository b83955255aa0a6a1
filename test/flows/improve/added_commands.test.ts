/** A proposal may not add a command that starts by itself: the user's yes covers what the skill had before. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { sha256 } from '../../../src/base/json/json.ts'
import { findStaticRefusal } from '../../../src/flows/improve/propose/static_checks.ts'
import { fresh } from '../../e2e/program.ts'

const plain = '---\nname: tidy\ndescription: Tidies up.\n---\n\nTidy up.\n'
const hooked = (command: string) =>
  plain.replace('\n---\n\n', `\nhooks: { Stop: [{ hooks: [{ command: ${command} }] }] }\n---\n\n`)

function refusalOf(before: string, after: string) {
  const folder = fresh()
  mkdirSync(folder, { recursive: true })
  const source = path.join(folder, 'SKILL.md')
  writeFileSync(source, after)
  const file = (text: string) => {
    const bytes = Buffer.byteLength(text)
    return { path: 'SKILL.md', bytes, sha256: sha256(text), isExecutable: false, text, readable: text }
  }
  return findStaticRefusal({
    edit: { before: [file(before)], after: [file(after)] },
    files: [{ path: 'SKILL.md', source, bytes: Buffer.byteLength(after) }],
    ...{ name: 'tidy', seen: [], held: [], tried: new Map() },
    context: { signal: new AbortController().signal, env: process.env },
  })
}

test.each([
  ['a hook', plain, hooked('sh a.sh')],
  ['a command in the text', plain, `${plain}!\`date\`\n`],
  ['another hook', hooked('sh a.sh'), hooked('sh b.sh')],
])('%s that the skill did not have is refused', async (_, before, after) => {
  expect(await refusalOf(before, after)).toMatchObject({
    rule: 'starts_commands',
    reason: expect.stringContaining('SKILL.md adds'),
  })
})

test.each([
  ['a sentence', plain, `${plain}Do it well.\n`],
  ['a sentence beside a hook that was there', hooked('sh a.sh'), `${hooked('sh a.sh')}Do it well.\n`],
  ['no hook any more', hooked('sh a.sh'), plain],
])('control: %s is accepted', async (_, before, after) => expect(await refusalOf(before, after)).toBeNull())

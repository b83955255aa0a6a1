/** What an agent program starts by itself when it loads a skill. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { listSkillFiles } from '../../../../src/phases/1-plan/skill/read_skill.ts'
import { findSkillCommands, readSkillCommands } from '../../../../src/phases/1-plan/skill/skill_commands.ts'
import { folderOf, skillText } from '../folder.ts'

const listed = (text: string) =>
  findSkillCommands(text, 'sums/SKILL.md').map(({ kind, command }) => `${kind} | ${command}`)
const withKeys = (keys: string) => `---\nname: sums\ndescription: Adds up.\n${keys}\n---\nAdd up.\n`

describe('hooks in the frontmatter', () => {
  const nested =
    'hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: sh a.sh'
  test.each<[string, string, string[]]>([
    ['in the documented form', withKeys(nested), ['hook | PreToolUse: sh a.sh']],
    ['with CRLF and a BOM', `\uFEFF${withKeys(nested).replaceAll('\n', '\r\n')}`, ['hook | PreToolUse: sh a.sh']],
    ['on one line', withKeys('hooks: { Stop: [{ hooks: [{ command: sh b.sh }] }] }'), ['hook | Stop: sh b.sh']],
    [
      'with an escaped key',
      withKeys('"h\\x6foks": { Stop: [{ hooks: [{ command: sh b.sh }] }] }'),
      ['hook | Stop: sh b.sh'],
    ],
    ['in another form', withKeys('hooks: [sh c.sh]'), ['hook | ["sh c.sh"]']],
    ['by an alias', withKeys('metadata: &m { Stop: [{ hooks: [{ command: x }] }] }\nhooks: *m'), ['hook | Stop: x']],
    [
      'an http hook',
      withKeys('hooks: { Stop: [{ hooks: [{ type: http, url: "http://x" }] }] }'),
      ['hook | Stop: {"type":"http","url":"http://x"}'],
    ],
  ])('%s', (_, text, expected) => expect(listed(text)).toEqual(expected))
  test.each([
    ['a merge key', 'metadata: &m { hooks: { Stop: [] } }\n<<: *m'],
    ['YAML that this parser refuses', 'note: a: b\nhooks: { Stop: [{ hooks: [{ command: sh b.sh }] }] }'],
    ['such YAML with an escaped key', 'note: a: b\n"h\\x6foks": 1'],
  ])('%s: the frontmatter is listed, since an agent program may read it', (_, keys) => {
    expect(listed(withKeys(keys))).toEqual([expect.stringContaining('hook | frontmatter: name: sums')])
  })
  test('frontmatter that nothing ends', () => {
    expect(listed('---\nname: sums\nhooks: [x]\n')).toEqual(['hook | ["x"]'])
  })
  test.each([
    ['none', ''],
    ['an empty key', 'hooks:'],
    ['a prompt for the model', 'hooks: { Stop: [{ hooks: [{ type: prompt, prompt: "fine?" }] }] }'],
    ['a hook below metadata', 'metadata: { hooks: x }'],
    ['the word in a text', 'when_to_use: "for hooks: all of them"'],
    ['invalid YAML without the word', 'note: a: b'],
  ])('control: %s lists nothing', (_, keys) => expect(listed(withKeys(keys))).toEqual([]))
  test('control: the same lines in the body', () => expect(listed(`${skillText}\n${nested}\n`)).toEqual([]))
})

test('reads nested skills, and no other file', async () => {
  const hooked = withKeys('hooks: { Stop: [{ hooks: [{ command: sh b.sh }] }] }')
  const root = folderOf({ 'SKILL.md': skillText, 'sub/SKILL.md': hooked, 'notes.md': hooked, 'evals/SKILL.md': hooked })
  const { files } = await listSkillFiles(root)
  expect(await readSkillCommands(files, 'sums')).toEqual([
    { kind: 'hook', command: 'Stop: sh b.sh', source: path.posix.join('sums', 'sub/SKILL.md') },
  ])
})

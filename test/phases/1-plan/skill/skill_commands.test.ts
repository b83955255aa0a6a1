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
  test('behind a line that only some parsers take for the end', () => {
    expect(listed(withKeys('---x: y\nhooks: { Stop: [{ hooks: [{ command: sh b.sh }] }] }'))).toEqual([
      'hook | Stop: sh b.sh',
    ])
    const shorter = withKeys('hooks: { Stop: [{ hooks: [{ command: sh b.sh }] }] }\n--- x\nnote: a')
    expect(listed(shorter)).toContain('hook | Stop: sh b.sh')
  })
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
    ['invalid YAML with the word in a text', 'note: a: b hooks'],
  ])('control: %s lists nothing', (_, keys) => expect(listed(withKeys(keys))).toEqual([]))
  test('control: the same lines in the body', () => expect(listed(`${skillText}\n${nested}\n`)).toEqual([]))
})

describe('commands in the text', () => {
  const inText = (body: string) => listed(`${skillText}\n${body}\n`)
  test.each<[string, string, string[]]>([
    ['at the start of a line', '!`git status`', ['skill_command | git status']],
    ['in a sentence', 'State: !`git status` and !`date`.', ['skill_command | git status', 'skill_command | date']],
    ['in a list', '- !`git status`', ['skill_command | git status']],
    ['over two lines', '!`git\nstatus`', ['skill_command | git\nstatus']],
    ['in a block', '```!\ngit status\ndate\n```', ['skill_command | git status\ndate']],
    ['in a block on one line', '```! date ```', ['skill_command | date']],
    ['in a fenced block, where Claude Code runs it all the same', '```sh\n!`date`\n```', ['skill_command | date']],
    ['once for the same command', '!`date` !`date`', ['skill_command | date']],
    [
      'behind a code span that hides the start of another',
      '`a !` b !`date`',
      ['skill_command | b !', 'skill_command | date'],
    ],
  ])('%s', (_, body, expected) => expect(inText(body)).toEqual(expected))
  test.each([
    ['a code span', 'Run `git status`!'],
    ['an exclamation mark beside one', 'Well done!`date` is a program.'],
    ['an image', '![a](b.png)'],
    ['an empty span', '!``'],
    ['a fenced block', '```sh\ngit status\n```'],
    ['a test for inequality', 'if a != `b`'],
  ])('control: %s lists nothing', (_, body) => expect(inText(body)).toEqual([]))
})

test('a file that cannot be read starts nothing', async () => {
  expect(await readSkillCommands([{ path: 'SKILL.md', source: '/nowhere/SKILL.md' }], 'sums')).toEqual([])
})

test('reads nested skills, and no other file', async () => {
  const hooked = withKeys('hooks: { Stop: [{ hooks: [{ command: sh b.sh }] }] }')
  const root = folderOf({ 'SKILL.md': skillText, 'sub/SKILL.md': hooked, 'notes.md': hooked, 'evals/SKILL.md': hooked })
  const { files } = await listSkillFiles(root)
  expect(await readSkillCommands(files, 'sums')).toEqual([
    { kind: 'hook', command: 'Stop: sh b.sh', source: path.posix.join('sums', 'sub/SKILL.md') },
  ])
})

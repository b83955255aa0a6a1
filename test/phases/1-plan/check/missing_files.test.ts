/** Files that a skill names and does not have, and scripts that a command check starts and nobody gives. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkSkill } from '../../../../src/phases/1-plan/check/check_skill.ts'
import { folderOf } from '../folder.ts'

const front = '---\nname: tidy\ndescription: Tidies rooms.\n---\n'

async function find(rule: string, files: Record<string, string>) {
  const all = { 'SKILL.md': `${front}\nGo.\n`, ...files }
  const root = folderOf(Object.fromEntries(Object.entries(all).map(([name, text]) => [`tidy/${name}`, text])))
  const { problems } = await checkSkill(path.join(root, 'tidy'))
  return problems
    .filter((one) => one.rule === rule)
    .map(({ message, file, line }) => [path.basename(file), line, message] as const)
}

describe('a file that the skill names in backticks', () => {
  const named = async (text: string, files: Record<string, string> = {}) =>
    (await find('file-missing', { 'SKILL.md': `${front}\n${text}\n`, ...files })).map(([, , message]) => message)
  test.each<[string, string]>([
    ['a reference', 'Read `references/rules.md` before you begin.'],
    ['a script', '- `scripts/rules.md.py`: checks the result'],
    ['a script with arguments', 'Then call `scripts/rules.py IN OUT`.'],
    ['a row of a table', '| `references/rules.md` | all rates |'],
    ['a path with the folder of the skill', `Read \`\${CLAUDE_SKILL_DIR}/references/rules.md\`.`],
    ['a heading in it', 'See `references/rules.md#discounts`.'],
  ])('%s', async (_, text) => {
    expect(await named(text)).toEqual([expect.stringMatching(/^SKILL\.md names \w+\/rules\S*, which does not exist$/)])
    expect(await named(text, { 'references/rules.md': 'r', 'assets/rules.svg': 'a' })).toEqual(
      text.includes('scripts/') ? [expect.any(String)] : [],
    )
  })
  test.each([
    'Write the summary to `references/rules.md`.',
    'Create `scripts/rules.py` with this text, and keep it.',
    'Keep long texts apart, such as\n`references/rules.md`.',
    "Look at the project's `scripts/build.sh`.",
    "The other skill's `references/rules.md` has more.",
    'Save the chart as `chart.png` and the data as `data/out.csv`.',
    'Any `references/<topic>.md`, `scripts/*.py` or `references/{name}.md`.',
    '```\n`references/rules.md`\n```',
  ])('%j names none', async (text) => expect(await named(text)).toEqual([]))
  test('is also looked for in the Markdown files that SKILL.md names, with their line', async () => {
    const more = 'More is in `references/more.md`.'
    const files = { 'SKILL.md': `${front}\n${more}\n`, 'references/more.md': '# More\n\nSee `references/gone.md`.\n' }
    expect(await find('file-missing', files)).toEqual([
      ['more.md', 3, 'references/more.md names references/gone.md, which does not exist'],
    ])
    expect(await find('file-missing', { ...files, 'SKILL.md': `${front}\nGo.\n` })).toEqual([])
  })
  test('that is a missing script is said once', async () => {
    const files = { 'SKILL.md': `${front}\nRun \`python scripts/a.py\`.\n\n- \`scripts/a.py\`: adds\n` }
    expect(await find('file-missing', files)).toEqual([])
    expect(await find('script-missing', files)).toHaveLength(1)
  })
})

describe('a script that SKILL.md has agents run', () => {
  const called = async (text: string, folders: readonly string[] = []) => {
    const root = folderOf({ 'repo/.git/HEAD': '', ...Object.fromEntries(folders.map((one) => [`repo/${one}`, ''])) })
    const skill = path.join(root, 'repo/.claude/skills/tidy')
    mkdirSync(skill, { recursive: true })
    writeFileSync(path.join(skill, 'SKILL.md'), `${front}\n${text}\n`)
    const { problems } = await checkSkill(skill)
    return problems
      .filter(({ rule }) => ['script-missing', 'file-missing'].includes(rule))
      .map(({ message }) => message)
  }
  test.each([
    'Run `python scripts/rules.py`.',
    'Never commit without running `./scripts/rules.py`.',
    'Do not forget to call `bash scripts/rules.py`.',
    'If it is not there, run `python scripts/rules.py`.',
    'Run `python scripts/rules.py`. Never edit it.',
    'Never do this:\n\n- nothing\n\nThen go on:\n\n- `python scripts/rules.py`',
    `\`bash \${CLAUDE_PLUGIN_ROOT}/scripts/rules.py\``,
  ])('%j', async (text) =>
    expect(await called(text)).toEqual(['SKILL.md calls scripts/rules.py, which does not exist']),
  )
  test.each([
    'Never run `./scripts/rules.py`.',
    "Don't call `bash scripts/rules.py`.",
    'Never allow scripts with side effects (e.g., `./scripts/rules.py`).',
    '**Never run these:**\n\n- `./scripts/rules.py`\n- `bash scripts/more.sh`',
    '## Forbidden\n\n1. `./scripts/rules.py`',
    '`python scripts/script_name.py --help`',
    "Run `./scripts/rules.py` in the user's repository.",
    'The project has its own: `bash scripts/rules.py`.',
    '`python scripts/YOUR_SCRIPT.py`, `bash scripts/<name>.sh`, `node scripts/check-{part}.js`, `./scripts/check-*.sh`',
  ])('%j has agents run none', async (text) => expect(await called(text)).toEqual([]))
  test.each(['scripts/rules.py', '.claude/scripts/rules.py'])(
    'none that its project or plugin has: %s',
    async (file) => {
      const text = `Run \`python scripts/rules.py\` and \`bash "\${CLAUDE_PLUGIN_ROOT}/scripts/rules.py" x\`.`
      expect(await called(text, [file])).toEqual([])
      expect(await called(text, ['other/scripts/rules.py', '../scripts/rules.py'])).toHaveLength(1)
    },
  )
})

describe('a script that a command check starts', () => {
  const missing = async (run: string, one: object = {}, files: Record<string, string> = {}) => {
    const evals = [{ id: 1, prompt: 'Tidy it', checks: [{ type: 'command', run }], ...one }]
    const suite = { 'evals/evals.json': JSON.stringify({ skill_name: 'tidy', evals }) }
    return (await find('command-file-missing', { ...suite, ...files })).map(([, , message]) => message)
  }
  test.each([
    ['sh see.sh', 'see.sh'],
    ['python3 checks/see.py out.md', 'checks/see.py'],
    ['./see.sh', 'see.sh'],
    ['node --no-warnings see.mjs < out.md', 'see.mjs'],
    ['test -f out.md && bash -x checks/see.sh', 'checks/see.sh'],
    ['npx tsx see.ts', 'see.ts'],
    ['. ./see.sh', 'see.sh'],
  ])('%s', async (run, name) => {
    const message = `case 1 (tidy-it): the command starts "${name}", which is not copied into the working folder`
    expect(await missing(run)).toEqual([message])
    expect(await missing(run, { prompt: `Write ${name}` })).toEqual([])
    expect(await missing(run, { setup: 'make tests' })).toEqual([])
  })
  test.each([
    ['node -e "process.exit(0)"'],
    ['python3 -c "import json"'],
    ['python3 -m json.tool out.json'],
    ['grep -q 42 see.sh'],
    ['cat > see.py <<E\nprint(1)\nE\npython see.py'],
    ['/usr/local/bin/see.sh'],
  ])('%s starts none', async (run) => expect(await missing(run)).toEqual([]))
  const startsIt = { type: 'command', run: 'sh see.sh' }
  test.each<[string, object, Record<string, string>]>([
    ['an input', { files: ['evals/see.sh'] }, { 'evals/see.sh': 'x' }],
    ['in a folder that is an input', { files: ['evals/lib'] }, { 'evals/lib/see.sh': 'x' }],
    ['an expectation asks for', { expectations: ['see.sh prints the total'] }, {}],
    ['another check asks for', { checks: [startsIt, { type: 'file_exists', path: 'see.sh' }] }, {}],
    ['the reference has', { reference: { files: { 'see.sh': 'x' } } }, {}],
  ])('%s is there', async (what, one, files) => {
    const run = what.includes('folder') ? 'sh evals/lib/see.sh' : 'files' in one ? 'sh evals/see.sh' : 'sh see.sh'
    expect(await missing(run, one, files)).toEqual([])
  })
  test('a file next to the suite is not copied, and an input has its own path', async () => {
    const there = { 'evals/see.sh': 'x', 'checks/see.sh': 'x' }
    expect(await missing('sh evals/see.sh', {}, there)).toEqual([]) // put there for the check alone
    const [message] = await missing('sh checks/see.sh', {}, there)
    expect(message).toContain('which is not copied into the working folder')
    expect(await missing('sh evals/see.sh', { files: ['evals/see.sh'] }, there)).toEqual([])
    expect(await missing('sh see.sh', { files: ['evals/see.sh'] }, there)).toHaveLength(1)
    expect(await missing('cd evals && sh see.sh', { files: ['evals/see.sh'] }, there)).toEqual([])
  })
})

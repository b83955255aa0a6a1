/** Each rule of `check`: what breaks it, where it is said to be, and that a sound skill breaks none. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Problem } from '../../../../schemas/check_report.ts'
import { checkReport } from '../../../../schemas/check_report.ts'
import { isTooSmall } from '../../../../src/base/smallest_design.ts'
import { checkSkill } from '../../../../src/phases/1-plan/check/check_skill.ts'
import { suiteAndPlanRules } from '../../../../src/phases/1-plan/check/invalid_suite.ts'
import { findLinks } from '../../../../src/phases/1-plan/check/text/markdown_links.ts'
import { folderOf, propertyRuns } from '../folder.ts'

const topics = ['march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november']
const cases = topics.map((topic, index) => ({
  id: index + 1,
  name: topic,
  prompt: `What does the invoice of ${topic} come to?`,
  expected_output: `A summary with ${index}88.85 due and VAT apart`,
  expectations: [`summary-${index}.md names the amount that is due`, 'VAT has a line of its own'],
}))
const skill = '---\nname: sums\ndescription: Adds up.\n---\n\nAdd up.\n'

function suiteOf(...changes: object[]): string {
  return JSON.stringify({ skill_name: 'sums', evals: cases.map((one, index) => ({ ...one, ...changes[index] })) })
}

function place(files: Record<string, string>): string {
  const all = { 'SKILL.md': skill, 'evals/evals.json': suiteOf(), ...files }
  return path.join(
    folderOf(Object.fromEntries(Object.entries(all).map(([name, text]) => [`sums/${name}`, text]))),
    'sums',
  )
}

async function problems(files: Record<string, string>): Promise<Problem[]> {
  return (await checkSkill(place(files))).problems
}

const lines = (found: readonly Problem[]) =>
  found.map(({ rule, line, at, message }) => ({ rule, where: line ?? at, message }))

/** Rule ids that are broken once all others are taken away. */
async function ids(files: Record<string, string>): Promise<string[]> {
  return (await problems(files)).map(({ rule }) => rule)
}

const front = (text: string) => ({ 'SKILL.md': `---\n${text}\n---\n\nAdd up.\n` })
const evals = (...changes: object[]) => ({ 'evals/evals.json': suiteOf(...changes) })
const sound = 'name: sums\ndescription: Adds up.'
const longName = 'a'.repeat(65)

test('a sound skill has no problem', async () => expect(await problems({})).toEqual([]))

test('BOM and CRLF are no problem', async () => {
  expect(await problems({ 'SKILL.md': `\uFEFF${skill.replaceAll('\n', '\r\n')}` })).toEqual([])
})

describe('SKILL.md', () => {
  test.each<[string, string, string[]]>([
    ['no name', 'description: Adds up.', ['name-missing']],
    ['a name that is a number', 'name: 12\ndescription: d', ['name-missing']],
    ['capitals', 'name: Sums\ndescription: d', ['name-form', 'name-folder']],
    ['a hyphen at an edge', 'name: sums-\ndescription: d', ['name-form', 'name-folder']],
    ['a doubled hyphen', 'name: su--ms\ndescription: d', ['name-form', 'name-folder']],
    ['65 characters', `name: ${longName}\ndescription: d`, ['name-form', 'name-folder']],
    ['another name than the folder', 'name: totals\ndescription: d', ['name-folder']],
    ['no description', 'name: sums', ['description-missing']],
    ['a description of 1,025 characters', `name: sums\ndescription: ${'d'.repeat(1025)}`, ['description-length']],
    ['a description of 1,024 characters', `name: sums\ndescription: ${'d'.repeat(1024)}`, []],
    ['compatibility of 501 characters', `${sound}\ncompatibility: ${'d'.repeat(501)}`, ['compatibility-form']],
    ['compatibility of 500 characters', `${sound}\ncompatibility: ${'d'.repeat(500)}`, []],
    ['compatibility that is a list', `${sound}\ncompatibility: [a]`, ['compatibility-form']],
    ['a license that is a number', `${sound}\nlicense: 3`, ['license-form']],
    ['metadata with a number', `${sound}\nmetadata:\n  version: 1.0`, ['metadata-form']],
    ['metadata of texts', `${sound}\nmetadata:\n  version: "1.0"`, []],
    ['allowed-tools as text', `${sound}\nallowed-tools: Bash(git:*) Read`, []],
    ['allowed-tools as a map', `${sound}\nallowed-tools: { a: b }`, ['allowed-tools-form']],
    ['a key that nobody reads', `${sound}\ndescribtion: x`, ['unknown-key']],
    ['a skill that only the user starts', `${sound}\ndisable-model-invocation: true`, ['user-only', 'agent-key']],
    ['a skill that says it is not one', `${sound}\ndisable-model-invocation: false`, ['agent-key']],
    ['a key that some agents read', `${sound}\nmodel: opus`, ['agent-key']],
    ['a key twice', `${sound}\nname: sums`, ['frontmatter-yaml']],
  ])('%s', async (_, text, expected) =>
    expect((await ids(front(text))).filter((id) => id !== 'skill-name-differs')).toEqual(expected),
  )

  test('no frontmatter', async () => expect(await ids({ 'SKILL.md': '# Sums\n' })).toEqual(['frontmatter-missing']))
  test('501 lines', async () =>
    expect(await ids({ 'SKILL.md': `---\n${sound}\n---\n${'x\n'.repeat(501)}` })).toEqual(['body-long']))
  const nested = 'Nested mappings are not allowed in compact mappings'
  test.each<[string, string, [number, string][]]>([
    ['two ": " in a line', 'name: sums\ndescription: Adds: up: all', [[3, nested]]],
    ['a line too deep', 'name: sums\ndescription: Adds\n  up: all', [[3, nested]]],
    ['beside a quoted name with a comment', "name: 'sums' # the name\ndescription: Adds: up", [[3, nested]]],
    [
      'beside a name that is a comment alone',
      'name: # later\ndescription: Adds: up',
      [
        [3, nested],
        [2, 'name is empty'],
      ],
    ],
    ['a quote without its end', 'name: "sums\ndescription: d', [[3, 'Missing closing "quote']]],
    [
      'mistakes in two lines',
      'name: sums\ndescription: A: b\nlicense: "a" b',
      [
        [3, nested],
        [4, 'Unexpected scalar at node end'],
      ],
    ],
    ['a list that holds itself', 'name: sums\ndescription: &a [*a]', [[3, 'description is not text: a list']]],
    ['a description of nothing', 'name: sums\ndescription:', [[3, 'description is empty']]],
    [
      'a list',
      '- name: sums\n- description: d',
      [[2, 'the frontmatter is a list, expected a mapping of keys to values']],
    ],
  ])('%s is told once, as what it is', async (_, text, expected) => {
    const found = lines(await problems(front(text)))
    expect(found.map(({ where, message }) => [where, message])).toEqual(expected)
  })
  test.each<[string, string, RegExp]>([
    ['keys of two depths', `${sound}\nmetadata:\n    a: b\n  c: d`, /^give keys of one level the same indent/],
    ['two ": " in a line', 'name: sums\ndescription: Adds: up', /^quote values that contain ": "/],
    ['a second document', 'name: sums\n...\ndescription: d', /^remove the line/],
  ])('%s has its own fix', async (_, text, fix) => {
    const found = (await problems(front(text))).filter(({ rule }) => rule === 'frontmatter-yaml')
    expect(found.map((one) => one.fix)).toEqual([expect.stringMatching(fix)])
    expect(found[0]?.message).not.toContain('YAML.')
  })
  test('frontmatter without an end is told as that', async () => {
    const found = lines(await problems({ 'SKILL.md': '---\nname: sums\ndescription: d\n\nAdd up.\n' }))
    expect(found.map(({ message }) => message)).toEqual(['no second line --- ends the frontmatter'])
  })
  test('several at once, each with its line', async () => {
    const found = lines(await problems(front(`name: sum_s\ndescription: d\nlicence: MIT\nlicense: 3`)))
    expect(found.map(({ rule, where }) => [rule, where])).toEqual([
      ['name-form', 2],
      ['name-folder', 2],
      ['license-form', 5],
      ['unknown-key', 4],
      ['skill-name-differs', '$.skill_name'],
    ])
  })
})

describe('the files', () => {
  const body = (text: string) => ({ 'SKILL.md': `${skill}\n${text}\n` })
  test.each<[string, Record<string, string>, string[]]>([
    ['a link to a file that is there', { ...body('[a](refs/a.md#top)'), 'refs/a.md': 'a' }, []],
    ['a link to a folder that is there', { ...body('[a](refs/)'), 'refs/a.md': 'a' }, []],
    ['a link to the web', body('[a](https://example.com/a.md)'), []],
    ['a link in code', body('```\n[a](gone.md)\n```\n`[b](gone.md)`'), []],
    ['a link to nothing', body('[a](refs/gone.md)'), ['link-broken']],
    ['a link with escaped parentheses', { ...body('[a](refs/a\\(1.md)'), 'refs/a(1.md': 'a' }, []],
    ['links in comments', body('<!-- [a](gone.md) -->\n\n<!--\n[b](gone.md)\n```\n--> text'), []],
    ['a link in a fence of a list', body('1. ```bash\n   [a](../x.md)\n   ```\n\n[b](gone.md)'), ['link-broken']],
    ['a picture in a link', body('[![a](gone.png)](gone.md)'), ['link-broken', 'link-broken']],
    ['the folder above', body('[a](..) [b](../)'), ['link-out', 'link-out']],
    ['a name that begins with two dots', { ...body('[a](..x/y.md)'), '..x/y.md': 'a' }, []],
    ['a definition', body('[a][b] and [b]\n\n[b]: ../x.md'), ['link-out']],
    ['a definition of the same name again', body('[a][b]\n\n[b]: gone.md\n[B]: ../x.md'), ['link-broken']],
    ['a definition that nothing uses', body('[a]\n\n[b]: ../x.md'), []],
    ['an address in angles', body('<https://example.com> <me@example.com>'), []],
    ['a path of a site', body('[a](/docs/x) [b](//example.com/x)'), []],
    ['a link out of the skill', body('[a](../other/a.md)'), ['link-out']],
    ['a link to the suite', body('[a](evals/evals.json)'), ['evals-in-sight']],
    ['a suite below a subfolder', { 'refs/evals/evals.json': '{}' }, ['evals-in-sight']],
    ['a suite of another name', { 'refs/sums.evals.json': '{}' }, ['evals-in-sight']],
  ])('%s', async (_, files, expected) => expect(await ids(files)).toEqual(expected))

  test('each link has its line', async () => {
    const text =
      'a\nb `c\nd` [e](1.md)\nf [g](2.md "\n") [h](3.md)\n\n- i\n\n  - > [j](4.md)\n    > [k][l]\n\n[l]: <5.md>'
    const found = (await problems(body(text))).map(({ message, line }) => [message.slice(8, 12), line])
    const before = skill.split('\n').length
    expect(found).toEqual([
      ['1.md', before + 3],
      ['2.md', before + 4],
      ['3.md', before + 5],
      ['4.md', before + 9],
      ['5.md', before + 12],
    ])
  })
  test('brackets, marks and levels without number are read in time', async () => {
    const parts = ['[', '![[', '[a](', '`a``b', '> ', '<!-- ', '[a](b "', '\\[', '- ', '[a]:\n', '\n']
    for (const part of parts) await findLinks(part.repeat(2 ** 17 / part.length).split('\n'))
    const nested = Array.from({ length: 1000 }, (_, level) => `${' '.repeat(2 * level)}- a`)
    await findLinks(nested)
  })

  test.each<[string, string, string]>([
    ['out of the skill', '../..', 'link-out'],
    ['to nothing', 'gone', 'link-broken'],
    ['to the suite', '../evals', 'evals-in-sight'],
  ])('a symbolic link %s', async (_, target, rule) => {
    const root = place({})
    mkdirSync(path.join(root, 'refs'))
    symlinkSync(target, path.join(root, 'refs/link'))
    const found = (await checkSkill(root)).problems
    expect(found.map((one) => [one.rule, one.file])).toEqual([[rule, path.join(root, 'refs/link')]])
  })

  const fill = (length: number) => 'aB3dE5gH'.repeat(12).slice(0, length)
  test.each<[string, string]>([
    ['an Anthropic key', `${'sk-'}ant-api03-${fill(40)}`],
    ['a private key', `-----BEGIN RSA ${'PRIVATE'} KEY-----\\nMIIE${fill(60)}`],
    ['a password in an address', `postgres://me:${fill(12)}@db.example.com/x`],
    ['a password in an address', `postgres://me:${fill(12)}@localhost.example.com/x`],
    ['a password in an address', 'redis://:hunter22222@db.prod.com'],
    ['a password in an address', 'postgres://me:secretpw123x@[2001:db8::1]:5432/x'],
    ['a password in an address', `POSTGRES://me:${fill(12)}@DB.PROD.COM`],
    ['a password in an address', `postgres://me:me${fill(12)}@10.0.0.7:5432/x`],
    ['a password in an address', `https://me:changeme${fill(12)}@db.local-shop.com/x`],
  ])('%s, in scripts and evals, without its value', async (what, value) => {
    const files = { 'scripts/a.sh': `#!/bin/sh\nKEY=${value}\n`, 'evals/files/b.txt': value }
    const found = await problems(files)
    expect(found.map(({ rule, line, file }) => [rule, line, path.basename(file)])).toEqual([
      ['likely-secret', 1, 'b.txt'],
      ['likely-secret', 2, 'a.sh'],
    ])
    expect(found[0]?.message).toBe(`looks like ${what}`)
    expect(JSON.stringify(found)).not.toContain(value)
  })
  const anthropic = `${'sk-'}ant-api03-${fill(40)}`
  const openai = `${'sk-'}proj-${fill(48)}`
  const random = 'wJa1rXUtn2FEMI7K4MDnG3bPxRf8iCYzQw5LkTp0'
  const told = async (text: string, file = 'a.txt') =>
    (await problems({ [file]: text })).map(({ line, message }) => `${line}: ${message.replace('looks like ', '')}`)
  test.each<[string, string, string[]]>([
    ['the first line of a key alone', `-----BEGIN ${'PRIVATE'} KEY-----\n...\n-----END ${'PRIVATE'} KEY-----`, []],
    ['a key on several lines', `-----BEGIN ${'PRIVATE'} KEY-----\n${fill(64)}\n`, ['1: a private key']],
    [
      'a key with headers',
      `-----BEGIN RSA ${'PRIVATE'} KEY-----\nProc-Type: 4,ENCRYPTED\n\n${fill(64)}\n`,
      ['1: a private key'],
    ],
    ['an anchor', `[support](#the-${'sk-'}component-support-for-the-harbour-toolkit)`, []],
    ['after a placeholder', `{"a":"sk-ant-your-key-${'x'.repeat(20)}","b":"${anthropic}"}`, ['1: an Anthropic key']],
    ['of two forms', `A=${openai} B=${anthropic}`, ['1: an Anthropic key', '1: an OpenAI key']],
    ['two of a form', `${anthropic} ${anthropic}z`, ['1: an Anthropic key (2 on this line)']],
    ['the same one twice', `${anthropic} ${anthropic}`, ['1: an Anthropic key']],
    ['once a line', `${anthropic}\n${anthropic}`, ['1: an Anthropic key', '2: an Anthropic key']],
    ['after a line break in JSON', `"key:\\n${anthropic}"`, ['1: an Anthropic key']],
    ['that fits a form and has a name', `ANTHROPIC_API_KEY="${anthropic}"`, ['1: an Anthropic key']],
    ['of a webhook', `https://${'hooks.slack'}.com/services/T0AB1CD2E/B0AB1CD2E/${fill(24)}`, ['1: a Slack webhook']],
    ['in an env file', `AWS_SECRET_ACCESS_KEY=${random}`, ['1: a secret by its name']],
    ['in YAML', `password: "${random.slice(0, 20)}"`, ['1: a secret by its name']],
    ['in JSON', `{"clientSecret":"${random}","n":1}`, ['1: a secret by its name']],
    ['in JSON within JSON', `{"env":"{\\"apiKey\\":\\"${random}\\"}"}`, ['1: a secret by its name']],
    ['of a shell', `export GITHUB_TOKEN=${random}`, ['1: a secret by its name']],
    ['in JSON, a token', `{"token": "${random}"}`, ['1: a secret by its name']],
    ['in YAML, a token', `token: '${random}'`, ['1: a secret by its name']],
    ['in hex', "api_key = '9f86d081884c7d659a2feaa0c55ad015'", ['1: a secret by its name']],
  ])('a secret %s', async (_, text, expected) => expect(await told(text)).toEqual(expected))
  const slashed = 'aJk3+xQ9/PwZ7tLm2VbN8cRf5GhY1sDuE4iOq6Kw'
  test.each([
    ['credentials', `[default]\naws_secret_access_key = ${slashed}\nregion = eu-west-1`, 2],
    ['config.yaml', `service:\n  api_key: ${random}`, 2],
    ['list.yml', `- api_key: ${random} # mine`, 1],
    ['app.ini', `apiKey=${random}\r\n`, 1],
    ['.env.local', `export db_password=${random}`, 1],
    ['app.properties', `spring.datasource.password=${random}`, 1],
    ['app.toml', `"api-key": 9f86d081884c7d659a2feaa0c55ad015`, 1],
  ])('a secret without quotes in a file of settings: %s', async (file, text, line) =>
    expect(await told(text, file)).toEqual([`${line}: a secret by its name`]),
  )
  test('what only looks like one, by the form of its file, is no secret', async () => {
    const harmless = {
      'vault.yaml': 'api_key: getKeyFromVault1Or2AndBack',
      'place.yaml': 'secret: prod/MyApp2/DbCreds1/Xy9',
      'sort.yaml': `sort_key: ${random}`,
      'page.yaml': `nextPageToken: ${random}`,
      'token.yaml': `token: ${random}`,
      'words.yaml': `the api_key: ${random}`,
      'command.yaml': `run: login --password=${random} now`,
      'name.yaml': 'passwordSecret: rabbitmq1-Default-User2-Credentials',
      'word.ini': 'password = AVeryLongWordOfMine12And34',
      'code.py': `api_key = ${random}`,
      'text.md': `api_key: ${random}`,
    }
    expect(await problems(harmless)).toEqual([])
  })
  test('placeholders, words, code and names of other things are no secrets', async () => {
    const harmless = [
      `API_KEY=\${ANTHROPIC_API_KEY_2}`,
      'API_KEY=<put-your-Key-1-Here-2>',
      'api_key = process.env.API_KEY_2_Xx9Yy8',
      'const token = await getTokenFor2Users1(x)',
      'password: "correct-horse-battery-staple"',
      'PASSWORD=SuperSecretPassword123456',
      'access_token=2YotnFZFEjr1zCsicMWpAA',
      `sort_key: ${random}`,
      `API_KEY: ${'ab'.repeat(20)}`,
      'password: "MWYyZDFlMmU2N2Rm"',
      'page_token="CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA"',
      'api_key = getKeyFromVault1Or2AndBack',
      'secret = "prod/MyApp2/DbCreds1/Xy9"',
      '"token": "d41d8cd98f00b204e9800998ecf8427e"',
      '"token": "Jhj5dZrVaK7ZwHHjRyZWjbDl"',
      `NEXT_PAGE_TOKEN=${random}`,
      'DB_PASSWORD=Getenv1Or2DefaultValue3',
      `api_key_id and secret of ${random}`,
      'KEY=sk-ant-...',
      'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
      'URL=postgres://user:$PASSWORD_HERE@host',
      'sk-your-key-here',
      'mongodb://me:password@host',
      'AKIAIOSFODNN7EXAMPLE',
      `ghp_${'x'.repeat(36)}`,
    ]
    expect(await told(harmless.join('\n'))).toEqual([])
  })
  test('a very long line is read in time', async () => {
    const parts = [
      'sk-ant-x ',
      'a-b_c',
      'api_key:',
      'https://:',
      'https://u:@[',
      '-----BEGIN A ',
      'key=a"',
      'sk-ant-your-',
    ]
    for (const part of parts) expect(await told(part.repeat(2 ** 19 / part.length))).toEqual([])
  })
  test('addresses of this machine, with usual and with made-up passwords hold no secret', async () => {
    const hosts = ['localhost', '127.0.0.1:5432', '[::1]:80', 'PRINTER.LOCAL', 'a.b.local/x', 'localhost.']
    const harmless = [
      'postgres://postgres:postgres@localhost:5432/db',
      'postgresql://myuser:mypassword@localhost/mydb',
      'http://admin:admin123@localhost:8080',
      'amqp://rabbitmq:rabbitmq@queue:5672',
      'mysql://root:my_password@db.acme.io/x',
      'redis://app:your_password@cache.acme.io',
      'mongodb://app:DB_PASSWORD1@mongo.acme.io',
      'ftp://me:changeme@files.acme.io',
      'ftp://me:change-me@files.acme.io',
      ...hosts.map((host) => `https://me:${fill(12)}@${host} is up`),
    ]
    expect(await told(harmless.join('\n'))).toEqual([])
  })
})

describe('a case', () => {
  test.each<[string, object, string[]]>([
    ['no prompt', { prompt: ' ' }, ['prompt-empty']],
    ['a missing file', { files: ['evals/files/gone.csv'] }, ['input-missing']],
    ['a file out of the skill', { files: ['../../etc/x'] }, ['input-escapes']],
    ['the suite as input', { files: ['evals'] }, ['case-cannot-run']],
    ['a reference whose name begins with two dots', { reference: { files: { '..a/b.md': 'x' } } }, []],
    ['a reference out of the folder', { reference: { files: { '../a.md': 'x' } } }, ['input-escapes']],
    ['no criteria', { expectations: null, expected_output: null }, ['criteria-missing']],
    ['only an expected output', { expectations: null }, ['criteria-derived']],
    ['a prompt that names the skill', { prompt: 'Use the sums skill on march' }, ['prompt-names-skill']],
    ['an id twice', { id: 2 }, ['duplicate-id']],
    [
      'own fields wrong',
      { checks: [{ type: 'contain', value: 'x' }, { type: 'contains' }] },
      ['own-field', 'own-field'],
    ],
    ['an own field wrong and no other criteria', { expectations: null, timeout: -1 }, ['own-field']],
    ['a field that is not read', { expected_tools: ['a'] }, ['not-read']],
    ['another name of a field', { prompt: null, input: 'What does the invoice come to?' }, ['forgiven']],
    ['an absolute path to elsewhere', { files: [import.meta.filename] }, ['input-escapes']],
    ['a draft', { review: 'draft' }, ['unreviewed-draft']],
    ['SKILL.md as input', { files: ['SKILL.md'] }, ['skill-md-as-input']],
  ])('%s', async (_, change, expected) => expect(await ids(evals(change))).toEqual(expected))

  test('a field twice, and characters that are no UTF-8', async () => {
    const text = suiteOf()
    const twice = text.replace('"id":1', '"id":7,"id":1')
    expect(twice).not.toBe(text)
    expect(await ids({ 'evals/evals.json': twice })).toEqual(['not-read'])
    const folder = place({})
    writeFileSync(path.join(folder, 'evals/evals.json'), Buffer.from(text.replace('?', ' caf\xe9?'), 'latin1'))
    expect((await checkSkill(folder)).problems.map(({ rule }) => rule)).toEqual(['not-read'])
  })
  test("an absolute path into the skill's folder", async () => {
    const folder = place({ 'data.csv': 'x' })
    writeFileSync(path.join(folder, 'evals/evals.json'), suiteOf({ files: [path.join(folder, 'data.csv')] }))
    expect((await checkSkill(folder)).problems.map(({ rule }) => rule)).toEqual(['absolute-path'])
  })
  test('is named with its JSON path', async () => {
    const [found] = lines(await problems(evals({}, { prompt: '' })))
    expect(found).toEqual({ rule: 'prompt-empty', where: '$.evals[1].prompt', message: 'case 2 (april): no prompt' })
  })
})

describe('criteria', () => {
  const prompt = 'Write report.md with a table of totals by region and a bar chart'
  const contains = (value: string, more: object = {}) => ({ type: 'contains', value, ...more })
  const twice = ['criterion-twice']
  const restates = ['criterion-restates-prompt']
  test.each<[string, object, string[]]>([
    ['in expectations and checks', { checks: [contains('9', { text: 'vat has a  line of its own' })] }, twice],
    ['a check twice, with and without text', { checks: [contains('9'), contains('9', { text: 'nine' })] }, twice],
    ['two checks that differ', { checks: [contains('9'), contains('8')] }, []],
    [
      'nearly all of it in the prompt',
      { prompt, expectations: ['report.md has a table of totals by region, and a pie chart'] },
      restates,
    ],
    [
      'half of it in the prompt',
      { prompt, expectations: ['report.md puts Ghent first and leaves Bruges out of totals'] },
      [],
    ],
    ['few words, all in the prompt', { prompt, expectations: ['report.md has totals'] }, []],
    ['a value in the prompt', { prompt: 'Is it 42?', checks: [contains('42')] }, ['check-value-in-prompt']],
    ['a value in the prompt, but another case', { prompt: 'Is it Ghent?', checks: [contains('ghent')] }, []],
    [
      'a value in the prompt, looked for in the answer and the outputs',
      { prompt: 'Is it 42?', checks: [contains('42', { target: 'answer_or_outputs' })] },
      ['check-value-in-prompt'],
    ],
    ['a value of a file', { prompt: 'Is it 42?', checks: [contains('42', { path: 'a.md' })] }, []],
    [
      'the prompt as what was done',
      {
        prompt: 'Carry the entries over, stop the job, tag it',
        expectations: ['Carried the entry over, stopping jobs, tagged'],
      },
      restates,
    ],
    ...['Refuses to', 'Does not', "Doesn't", 'Never'].map((no): [string, object, string[]] => [
      `the contrary of the prompt: ${no}`,
      {
        prompt: 'Refactor the login flow and add new endpoints',
        expectations: [`${no} refactor the login flow or add new endpoints`],
      },
      [],
    ]),
    [
      'a negation that the prompt has',
      {
        prompt: 'Summarise the report in three lines, never naming a customer',
        expectations: ['Summarises the report in three lines, never names a customer'],
      },
      restates,
    ],
    ['a file to change, and none there', { checks: [{ type: 'file_modified', path: 'a.md' }] }, ['check-cannot-pass']],
    ['a file to change that setup makes', { setup: 'make', checks: [{ type: 'file_modified', path: 'a.md' }] }, []],
    ['an indicator among others', { checks: [{ type: 'script_executed' }] }, []],
    ['in Chinese', { prompt: '请把三月份的发票总额写入报告', expectations: ['把三月份的发票总额写入报告'] }, restates],
  ])('%s', async (_, change, expected) => expect(await ids(evals(change))).toEqual(expected))

  const forbids = ['check-forbids-instruction']
  test.each<[string, string, string[]]>([
    ['a word that the skill asks for', 'End each summary with "Kind regards" and the date.', forbids],
    ['a word that the skill forbids too', 'Never end a summary with "Kind regards" and the date.', []],
    ['a word that the skill takes out', 'Write each summary without "Kind regards" and the date.', []],
    ['a word that the skill only names', 'The invoices of Kind Regards Ltd have no number.', []],
    ['a part of another word', 'End each summary with "Kind regardsless" and the date.', []],
  ])('%s', async (_, text, expected) => {
    const checks = [contains('9'), { type: 'not_contains', value: 'kind regards' }]
    expect(await ids({ 'SKILL.md': `${skill}${text}\n`, ...evals({ checks }) })).toEqual(expected)
  })
})

describe('a suite', () => {
  const indicators = {
    expectations: [{ text: 'The skill was read', indicator: true }],
    checks: [{ type: 'skill_read' }],
  }
  const few = (count: number) => ({
    'evals/evals.json': JSON.stringify({ skill_name: 'sums', evals: cases.slice(0, count) }),
  })
  test.each<[string, Record<string, string>, string[]]>([
    ['seven cases of two criteria', few(7), []],
    ['six cases of two criteria', few(6), ['suite-uniform-only']],
    ['five cases', few(5), ['suite-small']],
    [
      'no criteria anywhere',
      { 'evals/evals.json': JSON.stringify({ skill_name: 'sums', evals: [{ id: 1, prompt: 'p' }] }) },
      ['suite-ungraded', 'criteria-missing'],
    ],
    ['nothing but indicators', evals(...cases.map(() => indicators)), ['suite-ungraded']],
    ['another skill', { 'evals/evals.json': suiteOf().replace('"sums"', '"totals"') }, ['skill-name-differs']],
    ['no JSON', { 'evals/evals.json': '{' }, ['suite-unreadable']],
    ['no cases', { 'evals/evals.json': '{}' }, ['suite-unreadable']],
  ])('%s', async (_, files, expected) => expect(await ids(files)).toEqual(expected))

  test('says what few cases mean', async () => {
    const [found] = await problems(few(4))
    expect(found?.message).toContain('even if all 4 improve, p = 0.13 (sign test over cases)')
  })
  test.each([1, 2, 3, 4, 5])(
    '%i cases: the runs it says are the fewest that a report takes for significant',
    async (count) => {
      const [found] = await problems(few(count))
      const runs = Number(/at least (\d+) runs/.exec(found?.fix ?? '')?.[1])
      const design = (each: number) => Array(count).fill({ candidate: { length: each }, baseline: { length: each } })
      expect([isTooSmall(design(runs), 0.05), isTooSmall(design(runs - 1), 0.05)]).toEqual([false, true])
    },
  )
  test('none at all', async () => {
    const root = path.join(folderOf({ 'sums/SKILL.md': skill }), 'sums')
    expect((await checkSkill(root)).problems.map(({ rule }) => rule)).toEqual(['suite-missing'])
  })
})

describe('what is named', () => {
  test.each<[string, string, string | null, boolean, string[]]>([
    ['SKILL.md', 'SKILL.md', '', true, []],
    ['the suite file', 'evals/evals.json', null, true, []],
    ['nothing', 'gone', null, false, ['skill-unreadable']],
    ['the folder of the suite', 'evals', null, true, []],
    ['a folder that is no skill', 'parts', null, false, ['skill-unreadable', 'suite-missing']],
  ])('%s', async (_, name, shown, readable, expected) => {
    const root = place({ 'parts/a.md': 'a' })
    const checked = await checkSkill(path.join(root, name))
    expect(checked.path).toBe(path.join(root, shown ?? name))
    expect(checked.readable).toBe(readable)
    expect(checked.problems.map(({ rule }) => rule)).toEqual(expected)
  })
})

describe('whatever it finds', () => {
  const words = fc.oneof(
    fc.constantFrom('---', 'name: sums', 'metadata:', '  a: 1', '[a](../b)', '```', ': [', '*x'),
    fc.string(),
  )
  const texts = fc.array(words, { maxLength: 8 }).map((all) => all.join('\n'))
  const names = fc.constantFrom('id', 'prompt', 'files', 'expectations', 'checks', 'reference', 'expected_output')
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('../x', 'evals', [{ type: 'regex', pattern: '(' }]),
  )
  const one = fc.array(fc.tuple(names, value), { maxLength: 6 }).map((entries) => Object.fromEntries(entries))
  test('it never throws, and every problem keeps its schema', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.array(one, { maxLength: 3 }), async (text, list) => {
        const root = place({ 'SKILL.md': text, 'evals/evals.json': JSON.stringify(list) })
        const { readable, problems: found } = await checkSkill(root)
        const counts = { error: 0, warning: 0, info: 0 }
        checkReport.parse({ schema_version: 1, skills: [{ path: root, readable, problems: found }], counts })
        const known = suiteAndPlanRules.map(({ id }) => id)
        expect(found.filter(({ rule }) => !known.includes(rule))).toEqual([])
      }),
      propertyRuns(15, 300),
    )
  })
})

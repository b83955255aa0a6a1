/** Evals of application code: the agent gets the source and what it imports within the package, without the evals in them. */
import { symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { evalBlocks, removeEvalBlocks } from '../../../src/features/eval_md/code.ts'
import { loadEvalComments } from '../../../src/features/eval_md/eval_comment.ts'
import { loadEvalMd } from '../../../src/features/eval_md/format.ts'
import { folderOf } from '../../phases/1-plan/folder.ts'

const sidecar = '## adds\n### Prompt\nAdd 1 and 2\n### Expect\nSECRET 3\n'
const jsEval =
  '/**\n * Adds.\n *\n * @eval\n * ## adds\n * ### Prompt\n * Add\n * ### Expect\n * SECRET\n *\n * @returns the sum\n */\n'
const exEval = '  @eval """\n  ## adds\n  ### Prompt\n  Add\n  ### Expect\n  SECRET\n  """\n'

/** A package with these files; the suite of one of them. */
function load(suite: string, files: Record<string, string | Buffer>) {
  const inner = Object.entries({ 'package.json': '{}', ...files }).map(([name, text]) => [`package/${name}`, text])
  const root = path.join(folderOf(Object.fromEntries(inner)), 'package')
  return { root, read: () => (suite.endsWith('.md') ? loadEvalMd : loadEvalComments)(path.join(root, suite)) }
}

async function seen(suite: string, files: Record<string, string | Buffer>) {
  const loaded = await load(suite, files).read()
  const [one] = loaded.cases
  const texts = one?.environment?.texts ?? {}
  return {
    names: [...(one?.files ?? []).map((file) => file.path), ...Object.keys(texts)].sort(),
    readOnly: one?.environment?.read_only ?? [],
    texts,
    warnings: loaded.warnings.map(({ message }) => message),
    cannotRun: one?.cannot_run,
  }
}

describe('the files', () => {
  test.each<[string, string, Record<string, string>, string[]]>([
    [
      'TypeScript: from, import, require, import(), an export, .js for .ts, a folder, JSON',
      'src/add.EVAL.md',
      {
        'src/add.ts':
          "import { a } from './a.js'\nimport './b'\nconst c = require('./c')\nconst d = await import('./d.mjs')\nexport * from '../lib'\nimport e from './e.json'\nimport fs from 'node:fs'\nimport { x } from 'react'\n",
        ...{
          'src/a.ts': '',
          'src/b.tsx': '',
          'src/c.cjs': '',
          'src/d.mjs': '',
          'lib/index.ts': '',
          'src/e.json': '{}',
        },
        'src/other.ts': '',
      },
      ['lib/index.ts', 'src/a.ts', 'src/add.ts', 'src/b.tsx', 'src/c.cjs', 'src/d.mjs', 'src/e.json'],
    ],
    [
      'imports of imports, in a circle',
      'src/add.EVAL.md',
      { 'src/add.ts': "import './a'", 'src/a.ts': "import './b'", 'src/b.ts': "import './add'\nimport './a'" },
      ['src/a.ts', 'src/add.ts', 'src/b.ts'],
    ],
    [
      'Python',
      'app/add.EVAL.md',
      {
        'app/add.py':
          'from . import a\nfrom .b import (\n  x,\n  y as z,\n)\nimport app.c, os\nfrom app.d import e\nfrom ..up import q\n',
        ...{ 'app/a.py': '', 'app/b/__init__.py': '', 'app/c.py': '', 'app/d/e.py': '', 'up.py': '', 'app/n.py': '' },
      },
      ['app/a.py', 'app/add.py', 'app/b/__init__.py', 'app/c.py', 'app/d/e.py', 'up.py'],
    ],
    [
      'Elixir',
      'lib/my_app/greeter.EVAL.md',
      {
        'lib/my_app/greeter.ex':
          'defmodule MyApp.Greeter do\n  alias MyApp.{Names, HTTPClient}\n  def x, do: MyApp.Deep.One.y()\nend',
        ...{
          'lib/my_app/names.ex': '',
          'lib/my_app/http_client.ex': '',
          'lib/my_app/deep/one.ex': '',
          'lib/my_app/no.ex': '',
        },
      },
      ['lib/my_app/deep/one.ex', 'lib/my_app/greeter.ex', 'lib/my_app/http_client.ex', 'lib/my_app/names.ex'],
    ],
    ['another language: the file alone', 'add.EVAL.md', { 'add.rs': 'mod a;', 'a.rs': '' }, ['add.rs']],
  ])('%s', async (_, suite, files, names) => {
    const found = await seen(suite, { ...files, [suite]: sidecar })
    expect(found.names).toEqual(names)
    expect(found.readOnly).toEqual(names)
    expect(found.warnings).toEqual([])
  })
  test('a suite next to no source has none', async () => {
    expect(await seen('none.EVAL.md', { 'none.EVAL.md': sidecar })).toMatchObject({ names: [], readOnly: [] })
  })
  test('a large and a binary source are there; nothing is searched in them', async () => {
    const large = `${'// x\n'.repeat(400_000)}import './a'\n`
    expect((await seen('a.EVAL.md', { 'a.EVAL.md': sidecar, 'a.js': large })).names).toEqual(['a.js'])
    const binary = Buffer.from([0, 255, 1, 2])
    expect((await seen('b.EVAL.md', { 'b.EVAL.md': sidecar, 'b.bin': binary })).names).toEqual(['b.bin'])
  })
  test('at most 200 files', async () => {
    const many = Array.from({ length: 250 }, (_, at) => `import './m${at}'`).join('\n')
    const modules = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`m${at}.ts`, '']))
    const found = await seen('a.EVAL.md', { 'a.EVAL.md': sidecar, 'a.ts': many, ...modules })
    expect(found.names).toHaveLength(200)
    expect(found.warnings[0]).toContain('more than 200 files')
  })
})

describe('what agents may not see', () => {
  test('an import out of the package, a link out of it, and evals: left out, with a warning', async () => {
    const { root, read } = load('add.EVAL.md', {
      'add.EVAL.md': sidecar,
      'add.ts': "import '../outside'\nimport './link'\nimport './add.EVAL.md'\nimport './evals/evals.json'\n",
      ...{ '../outside.ts': '', 'evals/evals.json': '{}' },
    })
    symlinkSync(path.join(root, '../outside.ts'), path.join(root, 'link.ts'))
    const { cases, warnings } = await read()
    expect(cases[0]?.files.map((file) => file.path)).toEqual(['add.ts'])
    const [{ message } = { message: '' }] = warnings
    expect(message).toContain('../outside.ts (outside of the package)')
    expect(message).toContain('link.ts (outside of the package)')
    expect(message).toContain('add.EVAL.md (agents never see it)')
    expect(message).toContain('evals/evals.json (agents never see it)')
  })
  test.each([
    ['a.ts', `${jsEval}export const a = 1\n`, 'export const a = 1', ' * @returns the sum'],
    ['a.ex', `defmodule A do\n${exEval}  def a, do: 1\nend\n`, '  def a, do: 1', 'defmodule A do'],
  ])('the @eval of %s is not in the copy, and lines keep their numbers', async (name, text, ...kept) => {
    const found = await seen(name, { [name]: text })
    const copy = found.texts[name] ?? ''
    expect(found.readOnly).toEqual([name])
    expect(copy).not.toMatch(/SECRET|### Prompt/)
    for (const line of kept) expect(copy.split('\n').indexOf(line)).toBe(text.split('\n').indexOf(line))
  })
  test('nor that of an imported file, or of the source next to a sidecar', async () => {
    const found = await seen('b.EVAL.md', { 'b.EVAL.md': sidecar, 'b.ts': `import './a'\n${jsEval}`, 'a.ts': jsEval })
    expect(found.names).toEqual(['a.ts', 'b.ts'])
    expect(JSON.stringify(found.texts)).not.toContain('SECRET')
  })
  test.each(['/** @eval ## a */ export const b = 1', '/**\r\n * @eval\r\n * ## a */ const b = 1\r\n'])(
    'code after the comment stays: %j',
    (text) => {
      const copy = removeEvalBlocks(text, evalBlocks(text))
      expect(copy).toContain('const b = 1')
      expect(copy).toContain('*/')
      expect(copy).not.toContain('## a')
    },
  )
})

describe('@eval of Elixir', () => {
  test('each attribute is a block, indented as its closing quotes, with its line', () => {
    const text =
      `defmodule A do\n${exEval}\n  @eval ~S"""\n    ## b\n  """\n  @evaluate """\n  x\n  """\nend`.replaceAll(
        '\n',
        '\r\n',
      )
    expect(evalBlocks(text, 'a.ex')).toEqual([
      { line: 3, text: '## adds\n### Prompt\nAdd\n### Expect\nSECRET' },
      { line: 11, text: '  ## b' },
    ])
    expect(evalBlocks(text, 'a.ts')).toEqual([])
  })
})

const block = `/**
 * Greets.
 *
 * @eval
 * ## greets by name
 * ### Prompt
 * Hi, I'm Sam
 * ### Expect
 * Greets Sam.
 * @param name whom
 */
export function greet(name: string) {}
`

describe('@eval of doc comments', () => {
  test('the text without stars, and its line; another tag ends it', () => {
    expect(evalBlocks(block)).toEqual([
      { line: 4, text: "\n## greets by name\n### Prompt\nHi, I'm Sam\n### Expect\nGreets Sam." },
    ])
  })
  test('two in one comment, one in another, CRLF', () => {
    const text = '/** @eval ## a\n * @eval\n * ## b\n */\n/** @eval ## c */\n'.replaceAll('\n', '\r\n')
    expect(evalBlocks(text).map(({ text: one, line }) => [line, one.trim()])).toEqual([
      [1, '## a'],
      [2, '## b'],
      [5, '## c'],
    ])
  })
  test('an indented line keeps its indentation, an empty one stays', () => {
    expect(evalBlocks('/**\n * @eval\n *   deep\n *\n * x\n */')[0]?.text).toBe('\n  deep\n\nx\n')
  })
  test('a tag in a code fence ends nothing', () => {
    expect(evalBlocks('/**\n * @eval\n * ```\n * @param x\n * ```\n * end\n */')[0]?.text).toContain(
      '@param x\n```\nend',
    )
  })
  test.each([
    ['another comment', '/* @eval ## a */'],
    ['a line comment', '// @eval ## a'],
    ['a word that only begins so', '/** @evaluate ## a */'],
    ['an address', '/** mail me@eval.org */'],
    ['code', "const x = '@eval'"],
    ['an empty comment', '/**/ @eval'],
  ])('%s is none', (_, text) => expect(evalBlocks(text)).toEqual([]))
})

/** The command engine's command line: words, placeholders, files of the place it was started from. */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quoteWord } from '../../../src/base/package_root.ts'
import { anchorWords, fillWords, splitCommandLine } from '../../../src/engines/command_line.ts'

describe('words', () => {
  test.each([
    ['a b', ['a', 'b']],
    ['a  "b c"  d', ['a', 'b c', 'd']],
    [`a 'b "c"' ''`, ['a', 'b "c"', '']],
    ['a --x="b c"', ['a', '--x=b c']],
    ['a $HOME *.md | b > c', ['a', '$HOME', '*.md', '|', 'b', '>', 'c']],
  ])('%s', (line, words) => expect(splitCommandLine(line)).toEqual({ words }))

  test.each([
    ['a "b', 'not closed'],
    ['', 'needs a command'],
    ['  ', 'needs a command'],
    [null, 'needs a command'],
  ])('%j is refused', (line, message) =>
    expect(splitCommandLine(line)).toEqual({ mistake: expect.stringContaining(message) }),
  )
})

test('a quoted word is the same word for a command line and for a shell', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom("'", '"', '\\', ' ', '$', 'a', '\n', 'é') })), (words) => {
      expect(splitCommandLine(['x', ...words.map(quoteWord)].join(' '))).toEqual({ words: ['x', ...words] })
    }),
  )
  const words = ['', "it's", "'", 'a\\\\"b\'', '$HOME `x` !1', 'a\nb', '{a,b} ~ *']
  const said = execFileSync('sh', ['-c', `printf '%s\\0' ${words.map(quoteWord).join(' ')}`], { encoding: 'utf8' })
  expect(said.split('\0').slice(0, -1)).toEqual(words)
})

describe('placeholders', () => {
  const filling = { prompt: 'say "hi" {model}', model: 'm1' }
  test.each([
    [['a'], { program: 'a', args: [], stdin: filling.prompt }],
    [['a', '{model}'], { program: 'a', args: ['m1'], stdin: filling.prompt }],
    [['a', '-p={prompt}'], { program: 'a', args: ['-p=say "hi" {model}'], stdin: null }],
    [['a', '{other}'], { program: 'a', args: ['{other}'], stdin: filling.prompt }],
  ] as const)('%j', (words, invocation) => {
    const [program, ...rest] = words
    expect(fillWords([program, ...rest], filling)).toEqual(invocation)
  })
})

describe('files of the folder where Whetstone was started', () => {
  test('become absolute; other words stay', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'command-line-'))
    try {
      await writeFile(path.join(folder, 'agent.mjs'), '')
      const words = anchorWords(['node', 'agent.mjs', './agent.mjs', 'other.mjs', '-x', ''], folder)
      const agent = path.join(folder, 'agent.mjs')
      expect(words).toEqual(['node', agent, agent, 'other.mjs', '-x', ''])
      expect(anchorWords(['./run.sh'], folder)).toEqual([path.join(folder, 'run.sh')])
      const unfit = ['x'.repeat(5000), 'zero\0byte', 'agent.mjs/below', '.']
      expect(anchorWords(['node', ...unfit], folder)).toEqual(['node', ...unfit])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

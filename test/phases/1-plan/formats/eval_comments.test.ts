/** @eval blocks: found in doc comments alone, with the lines of their file. */
import { describe, expect, test } from 'vitest'
import { evalBlocks } from '../../../../src/phases/1-plan/formats/eval_md/comments.ts'

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

describe('blocks', () => {
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

/** What users read is plain English in the words of the field: banned words in help, messages, page and docs, and the controls. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const root = path.dirname(import.meta.dirname)

/** What not to write, and what to write instead. */
const banned: [RegExp, string][] = [
  [/(?<!-)\banew\b/i, 'again'],
  [/\bmeanwhile\b/i, 'in the meantime, or leave it out'],
  [/\bbeside\b/i, 'next to, with, in addition to'],
  [/\blikewise\b/i, 'also, or say it in full'],
  [/\btold\b/i, 'reported, shown'],
  [/\bmeant\b/i, 'intended, or say what it is for'],
  [/\bmade\b/i, 'created, written, run'],
  [/\blies\b/i, 'is'],
  [/\bstands?\b(?!-in| in for\b| for\b)/i, 'is, can be'],
  [/\bof which\b/i, 'whose, that'],
  [/(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b)/i, 'is not a, or invalid'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\bnobody\b/i, 'say who or what'],
  [/\bif not given\b/i, "the parser's own default"],
  [/\bpassed over\b/i, 'skipped, ignored'],
  [/\bgo(?:es)? on\b/i, 'continue'],
  [/\bborne\b/i, 'sustained'],
  [/\bhono[u]?r(?:s|ed)?\b/i, 'support, apply'],
  [/\bnot told from chance\b/i, 'not statistically significant'],
]

/** Texts that models read: they are part of cache keys, and of behaviour that was measured with these words. */
const forModels = [
  ...['files', 'grep', 'table'].map((tool) => `src/engines/tool_loop/tools/${tool}.ts`),
  'src/engines/ask/ask.ts',
  'src/features/compare/judge/prompt.ts',
  'src/features/eval_md/steps.ts',
  'src/base/text/fence.ts',
  ...['judge_answer', 'judge_question'].map((part) => `src/phases/3-judge/judge/${part}.ts`),
]
/** Patterns that recognise such words in what agents and judges write. */
const patterns = [
  'src/features/compare/judge/blind.ts',
  'src/base/text/self_assessment.ts',
  'src/phases/3-judge/grade/file_claims.ts',
]
const excluded = [...forModels, ...patterns]

interface Text {
  place: string
  text: string
}

function listFiles(folder: string, pattern: RegExp): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`)
}

const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ')

/** Strings of at least two words, and the text between tags; comments and patterns are not what users read. */
function listStrings(file: string, source: string): Text[] {
  const comments = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$|\bfrom '[^']*'/gm
  const quotesInPatterns = /\[[^\]\n]*['"`][^\]\n]*\](?=[^'"`\n]*\/)/g
  let code = source.replaceAll(comments, blank).replaceAll(quotesInPatterns, blank)
  for (let before = ''; before !== code; ) {
    before = code
    code = code.replaceAll(/\$\{(?:[^{}`]|`[^`]*`)*\}/g, (inner) => `X${blank(inner.slice(1))}`) // innermost first
  }
  const literals = code.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|(?<=>)[^<>{}=;]+(?=<)/g)
  return [...literals].flatMap((found) => {
    const line = code.slice(0, found.index).split('\n').length
    const text = found[0].replaceAll(/X +/g, 'X ')
    return (text.match(/[a-z]{2,}/gi) ?? []).length >= 2 ? [{ place: `${file}:${line}`, text }] : []
  })
}

/** Prose: neither code blocks nor code spans. */
function listProse(file: string, source: string): Text[] {
  const prose = source.replaceAll(/^```[\s\S]*?^```|`[^`\n]*`/gm, blank)
  return prose.split('\n').map((text, at) => ({ place: `${file}:${at + 1}`, text }))
}

function findBanned(texts: readonly Text[]): string[] {
  return texts.flatMap(({ place, text }) =>
    banned.flatMap(([pattern, instead]) => {
      const found = pattern.exec(text)?.[0]
      return found === undefined
        ? []
        : [`${place}: "${found.trim()}" (write: ${instead}) in ${text.trim().slice(0, 120)}`]
    }),
  )
}

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const stringsOf = (folder: string) =>
  listFiles(folder, /\.tsx?$/)
    .filter((file) => !excluded.includes(file))
    .flatMap((file) => listStrings(file, read(file)))

describe('no banned word', () => {
  test.each(['src', 'schemas', 'viewer'])('in the texts of %s', (folder) => {
    expect(findBanned(stringsOf(folder))).toEqual([])
  })

  test('in README, docs (with the help of every command) and the skill', () => {
    const pages = ['README.md', ...listFiles('docs', /\.md$/), ...listFiles('skills', /\.md$/)]
    expect(findBanned(pages.flatMap((file) => listProse(file, read(file))))).toEqual([])
  })
})

describe('controls', () => {
  test.each(excluded)('still needs its exception: %s', (file) =>
    expect(findBanned(listStrings(file, read(file)))).not.toEqual([]),
  )

  test.each([
    "throw new UserError('the file is no benchmark', 'give another')",
    'const text = `runs are made anew`',
    "describe: 'seconds to wait; 60 if not given',",
    '<p>Nobody has looked at this run yet</p>',
  ])('is found: %s', (source) => expect(findBanned(listStrings('a.ts', source))).not.toEqual([]))

  test.each(['// made by another process', '/** It lies beside the plan. */', "import { made } from './beside.ts'"])(
    'is not what users read: %s',
    (source) => expect(findBanned(listStrings('a.ts', source))).toEqual([]),
  )

  test('prose is read, code is not', () => {
    expect(findBanned(listProse('a.md', 'It is written anew.'))).toHaveLength(1)
    expect(findBanned(listProse('a.md', 'Give `--anew`.\n```\nnobody\n```\n'))).toEqual([])
  })
})

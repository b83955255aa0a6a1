/** The grammar of EVAL.md: what is a case, what is a section, and what is said where a line is not read. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadEvalMd } from '../../../src/features/eval_md/format.ts'
import { readEvalMd } from '../../../src/features/eval_md/read.ts'
import { folderOf } from '../../phases/1-plan/folder.ts'

function suite(text: string) {
  const reading = readEvalMd(text)
  if (reading.kind !== 'suite') throw new Error(JSON.stringify(reading))
  return reading
}

const cases = (text: string) =>
  suite(text).cases.map(({ name, prompt, expect: rubric }) => [name, prompt?.text ?? null, rubric?.text ?? null])

const one = '## a\n### Prompt\ngo\n### Expect\ndone\n'

describe('cases and sections', () => {
  test('each ## heading is a case, with its lines', () => {
    const reading = suite(`${one}\n## b\n### Prompt\n\nmore\n\n### Expect\nall\n`)
    expect(reading.cases).toEqual([
      { name: 'a', line: 1, prompt: { text: 'go', line: 2 }, expect: { text: 'done', line: 4 } },
      { name: 'b', line: 7, prompt: { text: 'more', line: 8 }, expect: { text: 'all', line: 12 } },
    ])
    expect(reading.remarks).toEqual([])
  })
  test.each(['# prompt', '## PROMPT', '#prompt', '####### Prompt', '### Prompt  ', '#  prompt'])(
    '%s begins the section, at any level and in any case',
    (heading) => expect(cases(`## a\n${heading}\ngo\n### Expect\ndone`)).toEqual([['a', 'go', 'done']]),
  )
  test.each(['### Prompts', '### The prompt', '### Prompt:', ' ### Prompt', '##name', '# a title', '### Other'])(
    '%s is content',
    (line) => expect(cases(`## a\n### Prompt\ngo\n${line}\n### Expect\ndone`)).toEqual([['a', `go\n${line}`, 'done']]),
  )
  test('trailing hashes belong to the name, a name may come twice, the order of sections is free', () => {
    expect(cases('## a ##\n### Expect\nx\n### Prompt\ny\n## a ##\n### Prompt\np\n### Expect\ne')).toEqual([
      ['a ##', 'y', 'x'],
      ['a ##', 'p', 'e'],
    ])
  })
  test('a section that comes again goes on', () =>
    expect(cases('## a\n### Prompt\none\n### Expect\nx\n### Prompt\ntwo')).toEqual([['a', 'one\ntwo', 'x']]))
  test('a missing or blank section is null', () => {
    expect(cases('## a\n### Prompt\ngo')).toEqual([['a', 'go', null]])
    expect(cases('## a\n### Prompt\n   \n### Expect\ndone')).toEqual([['a', null, 'done']])
    expect(cases('## a\n## b\n### Prompt\np\n### Expect\ne')).toEqual([
      ['a', null, null],
      ['b', 'p', 'e'],
    ])
  })
})

describe('where the reference loses text', () => {
  test('a byte order mark and CRLF lose no frontmatter', () => {
    const { settings, cases: read } = suite(
      `\uFEFF---\r\nmodel: "anthropic:x"\r\n---\r\n${one.replaceAll('\n', '\r\n')}`,
    )
    expect([settings.model, read[0]?.prompt]).toEqual(['anthropic:x', { text: 'go', line: 5 }])
  })
  test('## in a code fence is text, its end is the end', () => {
    const text =
      '## a\n### Prompt\n```md\n## not a case\n### Expect\n```\n### Expect\ndone\n## b\n### Prompt\np\n### Expect\ne'
    expect(cases(text)).toEqual([
      ['a', '```md\n## not a case\n### Expect\n```', 'done'],
      ['b', 'p', 'e'],
    ])
  })
  test.each([
    ['a longer fence holds a shorter one', '````\n```\n## x\n```\n````'],
    ['tildes', '~~~\n## x\n~~~'],
    ['the mark of the other kind closes nothing', '```\n~~~\n## x\n```'],
    ['up to three spaces before it', '   ```\n## x\n   ```'],
  ])('%s', (_, block) => expect(cases(`## a\n### Prompt\n${block}\n### Expect\nd`)).toEqual([['a', block.trim(), 'd']]))
  test('a fence that is never closed swallows no case, and is told', () => {
    const reading = suite('## a\n### Prompt\n```\ngo\n### Expect\nd\n## b\n### Prompt\np\n### Expect\ne')
    expect(reading.cases.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(reading.remarks).toEqual([
      { line: 3, message: 'this code fence is never closed, so it is read as plain text' },
    ])
  })
  test('text before the first section, and a section before the first case, are told with their lines', () => {
    const { remarks } = suite(`# Title\n\nBe brief.\n### Prompt\nlost\n## a\nlost too\n### Prompt\np\n### Expect\ne`)
    expect(remarks.map(({ line }) => line)).toEqual([3, 4, 7])
    expect(remarks[0]?.message).toBe('text before the first case is not read')
    expect(suite(one).remarks).toEqual([])
  })
  test('a file of fences without end is read in no time', () => {
    const text = Array.from({ length: 20_000 }, (_, index) => '`'.repeat(3 + (index % 40))).join('x\n')
    expect(readEvalMd(`${one}${text}`).kind).toBe('suite')
  })
})

describe('what is no suite', () => {
  test.each([
    ['empty', ''],
    ['a report', '# Evaluation\n\n## Results\nAll 12 passed.\n'],
    ['a report below a line', '---\n\n# Evaluation\n\n## Results\n'],
    ['a report with frontmatter', '---\ntitle: x\n---\n# Evaluation\n'],
    ['a report that shows the format in a fence', '# How\n```\n## a\n### Prompt\ngo\n### Expect\nx\n```\n'],
  ])('%s', (_, text) => expect(readEvalMd(text).kind).toBe('no_suite'))
  test('the first form is named with its mend', () => {
    const text = '---\nname: greets\nprompt: Hi\nexpect:\n  response: [hi]\n---\nIt greets.\n'
    expect(readEvalMd(text)).toMatchObject({
      kind: 'broken',
      mistakes: [
        { line: 4, message: expect.stringContaining('first form'), fix: expect.stringContaining('## greets') },
      ],
    })
  })
  test('the second form is named with its mend', () => {
    expect(readEvalMd('---\nname: greets\n---\n## Prompt\nHi\n## Expect\nIt greets.\n')).toMatchObject({
      kind: 'broken',
      mistakes: [
        { line: 2, message: expect.stringContaining('second form'), fix: expect.stringContaining('## greets') },
      ],
    })
  })
  test.each([
    ['unclosed frontmatter', `---\nmodel: x\n${one}`, 1, 1, 'never closed'],
    ['broken YAML', `---\nmodel: [x\n---\n${one}`, 2, 10, 'not valid YAML'],
    ['a text as frontmatter', `---\njust text\n---\n${one}`, 2, 1, 'fields of the form'],
    ['a model that is a list', `---\nsystem: s\nmodel: [a]\n---\n${one}`, 3, 1, 'model: must be text'],
    ['a skill that is no text', `---\nskills:\n  - {a: 1}\n---\n${one}`, 3, 5, 'skills: each must be text'],
    ['metadata that is no map', `---\nmetadata: 3\n---\n${one}`, 2, 1, 'metadata'],
    ['sections without a case', '### Prompt\ngo\n### Expect\nx', 1, 1, 'no ## heading'],
  ])('%s is a mistake with line and column', (_, text, line, column, message) => {
    expect(readEvalMd(text)).toMatchObject({
      kind: 'broken',
      mistakes: [{ line, column, message: expect.stringContaining(message) }],
    })
  })
})

test.each([
  ['a section is missing', '## a\n### Prompt\ngo\n', '1:1: the case has no Expect'],
  ['a skill that is not there', `---\nskills: [./here, ./gone]\n---\n${one}`, '2:18: skills: ./gone: no such file'],
  ['a module', `---\nskills:\n  - MyApp.Skill\n---\n${one}`, '3:5: skills: MyApp.Skill is not runnable here'],
  ['a tool', `---\nsystem: s\ntools: MyApp.Tool\n---\n${one}`, '3:1: tools: MyApp.Tool is not runnable here'],
  ['an agent', `---\nagent: ../gone\n---\n${one}`, '2:1: agent: ../gone: no such file'],
])('why a case can not run has file, line and column: %s', async (_, text, message) => {
  const folder = folderOf({ 'EVAL.md': text, 'here/SKILL.md': '---\nname: here\ndescription: d\n---\n' })
  const { cases } = await loadEvalMd(path.join(folder, 'EVAL.md'))
  expect(cases[0]?.cannot_run).toContain(`${folder}/EVAL.md:${message}`)
})

describe('frontmatter', () => {
  test('one text is a list of one; modules are told from paths; strings stay as they are written', () => {
    const { settings } = suite(
      `---\nskills: skills/x\ntools: [SkillKit.Tools.Shell, ./t]\nmodel: 1.0\nsystem: yes\n---\n${one}`,
    )
    expect(settings).toMatchObject({
      skills: [{ kind: 'path', name: 'skills/x', line: 2 }],
      tools: [
        { kind: 'module', name: 'SkillKit.Tools.Shell' },
        { kind: 'path', name: './t' },
      ],
      model: '1.0',
      system: 'yes',
    })
  })
  test('absent is not empty: nothing is inferred from an empty list', () => {
    expect(suite(one).settings.skills).toBeNull()
    expect(suite(`---\nskills: []\n---\n${one}`).settings.skills).toEqual([])
  })
  test('what nobody knows is kept by name and line', () => {
    expect(suite(`---\nmodel: a\ntimeout: 3\n---\n${one}`).settings.unknown).toEqual([{ name: 'timeout', line: 3 }])
  })
  test('an empty frontmatter loses nothing', () => expect(cases(`---\n---\n${one}`)).toEqual([['a', 'go', 'done']]))
})

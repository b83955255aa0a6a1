/** The units of a skill, what a skill without some of them reads like, and the screening design over them. */
import { describe, expect, test } from 'vitest'
import type { SkillUnit } from '../../../schemas/prune.ts'
import { countRows, drawMasks } from '../../../src/features/prune/units/draw_masks.ts'
import { leaveOut } from '../../../src/features/prune/units/leave_out.ts'
import { listUnits } from '../../../src/features/prune/units/list_units.ts'
import { createSeededRandom } from '../../../src/phases/4-report/stats/distributions/seeded_random.ts'

const skill = `---
name: pdf
description: Fills forms.
---

# PDF forms

Read the form first.

\`\`\`sh
file form.pdf
\`\`\`

## Steps

Run \`python scripts/fill.py form.pdf\` to fill it.

- Ask for missing values.
- Keep fonts.
  See [fonts](references/fonts.md).

Check the result.

## Style

- Be brief.
`

const texts: Record<string, string> = {
  'SKILL.md': skill,
  'scripts/fill.py': 'import helper\nopen("helper.py")\n',
  'scripts/helper.py': 'x = 1\n',
  'references/fonts.md': 'Fonts.\n',
  'assets/a.png': 'a',
  'assets/b.png': 'b',
  'LICENSE.txt': 'MIT',
}
const files = Object.entries(texts).map(([path, text]) => ({ path, text, bytes: text.length }))
const version = new Map(
  Object.entries(texts).map(([path, text]) => [path, { content: Buffer.from(text), isExecutable: false }]),
)

const named = (units: readonly SkillUnit[]) => units.map(({ kind, label, files: own }) => [kind, label, ...own])
const without = async (...labels: string[]) => {
  const units = await listUnits(files)
  const out = units.filter(({ label }) => labels.includes(label))
  expect(out).toHaveLength(labels.length)
  const left = await leaveOut(version, out)
  return { text: left.get('SKILL.md')?.content.toString('utf8') ?? '', paths: [...left.keys()] }
}

describe('the units of a skill', () => {
  test('are sections, list items, and files with the text that names them', async () => {
    expect(named(await listUnits(files))).toEqual([
      ['section', 'PDF forms'],
      ['script', 'scripts/fill.py', 'scripts/fill.py', 'scripts/helper.py'],
      ['item', 'Ask for missing values.'],
      ['reference', 'references/fonts.md', 'references/fonts.md'],
      ['section', 'Steps'],
      ['item', 'Be brief.'],
      ['reference', 'assets/a.png', 'assets/a.png', 'assets/b.png'],
    ])
  })
  test('are protected by a part of their text, whatever its case', async () => {
    const units = await listUnits(files, ['keep FONTS', 'helper.py'])
    const labels = units.filter((one) => one.protected).map(({ label }) => label)
    expect(labels).toEqual(['scripts/fill.py', 'references/fonts.md'])
  })

  test('a script that another imports belongs to it; a file whose name only ends alike does not', async () => {
    const unitsOf = async (more: Record<string, string>) => {
      const all = { 'SKILL.md': '- Run `scripts/main.py`.\n- Read platforms.md.\n', ...more }
      const list = Object.entries(all).map(([path, text]) => ({ path, text, bytes: text.length }))
      return (await listUnits(list)).map(({ files: own }) => own)
    }
    const code = { 'scripts/main.py': 'from lib.helper import x\n', 'scripts/lib/helper.py': 'x = 1\n' }
    const docs = { 'platforms.md': 'P.\n', 'forms.md': 'F.\n' }
    expect(await unitsOf({ ...code, ...docs })).toEqual([
      ['scripts/lib/helper.py', 'scripts/main.py'],
      ['platforms.md'],
      ['forms.md'],
    ])
    // a word in a comment is no import
    const apart = await unitsOf({ ...code, 'scripts/main.py': '# a helper\nimport os\n' })
    expect(apart).toContainEqual(['scripts/lib/helper.py'])
    // a file without an ending is named by the word
    expect(await unitsOf({ Makefile: 'all:\n' })).toHaveLength(3)
    expect(await unitsOf({ 'SKILL.md': 'Read the Makefile.\n', Makefile: 'all:\n' })).toEqual([['Makefile']])
  })

  test('a quotation is one unit, whatever is in it', async () => {
    const text = '> Say:\n>\n> - Hello.\n> - Bye.\n\n- Be brief.\n'
    const units = await listUnits([{ path: 'SKILL.md', text, bytes: text.length }])
    expect(units.map(({ lines }) => lines)).toEqual([[{ start: 1, end: 5 }], [{ start: 6, end: 7 }]])
  })

  test('a heading in a file with CRLF is a label without the line end', async () => {
    const text = '# Radio\r\n\r\nBe brief.\r\n\r\nMore\r\n----\r\n\r\nOver.\r\n'
    const units = await listUnits([{ path: 'SKILL.md', text, bytes: text.length }])
    expect(units.map(({ label, lines }) => [label, lines])).toEqual([
      ['Radio', [{ start: 3, end: 4 }]],
      ['More', [{ start: 8, end: 9 }]],
    ])
  })
})

describe('a skill without a unit', () => {
  test('lacks the lines and nothing else; of a script also the files that it needs', async () => {
    const item = await without('Ask for missing values.')
    expect(item.text).toBe(skill.replace('- Ask for missing values.\n', ''))
    const { text, paths } = await without('scripts/fill.py')
    expect(text).toBe(skill.replace('Run `python scripts/fill.py form.pdf` to fill it.\n\n', ''))
    expect(paths).toEqual(['SKILL.md', 'references/fonts.md', 'assets/a.png', 'assets/b.png', 'LICENSE.txt'])
  })

  test('keeps a heading while anything below it is left', async () => {
    expect((await without('PDF forms')).text).toContain('# PDF forms\n\n## Steps')
    expect((await without('Be brief.')).text).not.toContain('## Style')
  })

  test.each(['\n', '\r\n'])('what is left of it does not run together (lines end with %j)', async (end) => {
    const text = ['Steps:', '- one', '- two', '', '| a |', '', '1. x', '2. y', ''].join(end)
    const content = Buffer.from(text)
    const units = await listUnits([{ path: 'SKILL.md', text, bytes: text.length }])
    const left = async (...out: number[]) => {
      const gone = units.filter((_, at) => out.includes(at))
      const made = await leaveOut(new Map([['SKILL.md', { content, isExecutable: false }]]), gone)
      return made.get('SKILL.md')?.content.toString('utf8').split(end)
    }
    expect(units.map(({ label }) => label)).toEqual(
      ['Steps:', 'one', 'two', 'x', 'y'].map((one) => expect.stringContaining(one)),
    )
    // else the table would be a part of the first item
    expect(await left(2, 3)).toEqual(['Steps:', '- one', '', '| a |', '', '2. y', ''])
    expect(await left(1, 2)).toEqual(['Steps:', '', '| a |', '', '1. x', '2. y', ''])
    // else "2. y" would be a part of the table
    expect(await left(1, 3)).toEqual(['Steps:', '', '- two', '', '| a |', '', '2. y', ''])
    // nothing between items of one list, and the file still ends with a line end
    expect(await left(2, 3, 4)).toEqual(['Steps:', '- one', '', '| a |', ''])
    expect(await left(0, 2, 3)).toEqual(['- one', '2. y', ''])
  })
})

describe('the screening design', () => {
  test.each([[1], [3], [7], [20], [40]])('%i units: columns are orthogonal and balanced', (units) => {
    const rows = countRows(units)
    const drawn = drawMasks(units, { cases: [1, 2, 3], pairs: 2 * rows, random: createSeededRandom(units) })
    const runs = drawn.flatMap(({ halves }) => halves.map((half) => half.map((has) => (has ? 1 : -1))))
    expect(runs).toHaveLength(4 * rows)
    for (let one = 0; one < units; one += 1) {
      expect(runs.reduce((sum, run) => sum + (run[one] ?? 0), 0)).toBe(0)
      for (let other = 0; other < one; other += 1) {
        expect(runs.reduce((sum, run) => sum + (run[one] ?? 0) * (run[other] ?? 0), 0)).toBe(0)
      }
    }
  })

  test('the foldover has in one run of a pair what the other leaves out, so each case is balanced too', () => {
    const drawn = drawMasks(5, { cases: [4, 9], pairs: 8, random: createSeededRandom(1) })
    for (const { halves } of drawn) expect(halves[0].map((has) => !has)).toEqual(halves[1])
    expect(drawn.filter(({ evalId }) => evalId === 4).map(({ number }) => number)).toEqual([1, 2, 3, 4])
  })
})

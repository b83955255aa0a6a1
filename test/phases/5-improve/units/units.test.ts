/** The units of a skill, what a skill without some of them reads like, and the screening design over them. */
import { describe, expect, test } from 'vitest'
import type { SkillUnit } from '../../../../schemas/prune.ts'
import { createSeededRandom } from '../../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { countRows, drawMasks } from '../../../../src/phases/5-improve/units/draw_masks.ts'
import { leaveOut } from '../../../../src/phases/5-improve/units/leave_out.ts'
import { listUnits } from '../../../../src/phases/5-improve/units/list_units.ts'

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
    expect(units.filter((one) => one.protected).map(({ label }) => label)).toEqual([
      'scripts/fill.py',
      'references/fonts.md',
    ])
  })

  test('a skill of frontmatter alone has none', async () => {
    expect(await listUnits([{ path: 'SKILL.md', text: '---\nname: a\n---\n', bytes: 9 }])).toEqual([])
  })
})

describe('a skill without a unit', () => {
  test('lacks the lines and nothing else', async () => {
    const { text } = await without('Ask for missing values.')
    expect(text).toBe(skill.replace('- Ask for missing values.\n', ''))
  })

  test('lacks a script, the files that it needs, and the paragraph that calls it', async () => {
    const { text, paths } = await without('scripts/fill.py')
    expect(text).toBe(skill.replace('Run `python scripts/fill.py form.pdf` to fill it.\n\n', ''))
    expect(paths).toEqual(['SKILL.md', 'references/fonts.md', 'assets/a.png', 'assets/b.png', 'LICENSE.txt'])
  })

  test('keeps a heading while anything below it is left', async () => {
    expect((await without('PDF forms')).text).toContain('# PDF forms\n\n## Steps')
    expect((await without('Be brief.')).text).not.toContain('## Style')
  })

  test('without all units the frontmatter is left', async () => {
    const all = await listUnits(files)
    const left = await leaveOut(version, all)
    expect(left.get('SKILL.md')?.content.toString('utf8').trim()).toBe('---\nname: pdf\ndescription: Fills forms.\n---')
    expect([...left.keys()]).toEqual(['SKILL.md', 'LICENSE.txt'])
  })
})

describe('the screening design', () => {
  test.each([[1], [3], [7], [11], [20], [40]])('%i units: columns are orthogonal and balanced', (units) => {
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

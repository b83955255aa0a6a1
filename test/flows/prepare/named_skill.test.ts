/** A skill without frontmatter is benched with the name and description that the user gives, and reported as defective. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readNamedSkill, type SkillNaming } from '../../../src/phases/1-plan/skill/add_frontmatter.ts'

function skillWith(text: string): string {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'named-')), 'greet')
  mkdirSync(path.join(folder, 'references'), { recursive: true })
  writeFileSync(path.join(folder, 'SKILL.md'), text)
  writeFileSync(path.join(folder, 'references/a.md'), 'A\n')
  return folder
}

const read = (folder: string, naming?: SkillNaming) =>
  readNamedSkill(folder, { links: undefined, naming, target: mkdtempSync(path.join(tmpdir(), 'copy-')) })

const both = { name: 'greet', description: 'Says: "hello" # to people' }

describe('a skill whose SKILL.md lacks frontmatter', () => {
  test.each([
    ['no frontmatter', '# Greet\n\nSay hello.\n', both],
    [
      'other fields, Windows line ends and a byte order mark',
      '\uFEFF---\r\nlicense: MIT\r\n---\r\n# Greet\r\n\r\nSay hello.\r\n',
      both,
    ],
    ['a name alone', '---\nname: greet\n---\n# Greet\n\nSay hello.\n', { name: null, description: both.description }],
  ])('%s: agents get a copy with both, the folder stays as it is', async (_what, text, naming) => {
    const folder = skillWith(text)
    const { skill, folder: copy, defects } = await read(folder, naming)
    expect(skill).toMatchObject({ ...both, path: folder })
    expect(defects).toMatchObject([{ file: path.join(folder, 'SKILL.md'), at: 'frontmatter' }])
    expect(defects[0]?.message).toContain(naming.name === null ? 'no description:' : 'no name and no description')
    expect(readFileSync(path.join(copy, 'SKILL.md'), 'utf8')).toContain('# Greet\n\nSay hello.')
    expect(readFileSync(path.join(copy, 'references/a.md'), 'utf8')).toBe('A\n')
    expect(readFileSync(path.join(folder, 'SKILL.md'), 'utf8')).toBe(text)
  })

  test('another naming is another version', async () => {
    const folder = skillWith('# Greet\n')
    const one = await read(folder, both)
    const other = await read(folder, { ...both, description: 'Greets.' })
    expect(one.skill.sha256).not.toBe(other.skill.sha256)
    expect((await read(folder, both)).skill.sha256).toBe(one.skill.sha256)
  })

  test('control: without a naming it is refused, and a complete one needs none', async () => {
    await expect(read(skillWith('# Greet\n'))).rejects.toThrow('no frontmatter')
    const folder = skillWith('---\nname: greet\ndescription: Greets.\n---\n# Greet\n')
    expect(await read(folder, { name: null, description: null })).toMatchObject({ folder, defects: [] })
  })

  test('mistakes name the author’s file, not the copy', async () => {
    const complete = skillWith('---\nname: greet\ndescription: Greets.\n---\n# Greet\n')
    await expect(read(complete, both)).rejects.toThrow(`--name: ${complete}/SKILL.md has a name already`)
    const folder = skillWith('# Greet\n')
    await expect(read(folder, { name: 'greet', description: null })).rejects.toThrow(
      `${folder}/SKILL.md: the frontmatter has no description`,
    )
    await expect(read(folder, { name: 'a/b', description: 'x' })).rejects.toThrow("can't be a folder name")
  })
})

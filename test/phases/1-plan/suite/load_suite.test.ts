/** Finding a suite: in the skill's folder, or as an explicit file. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolveSkillFolder } from '../../../../src/flows/prepare/prepare_bench.ts'
import { checkSkill } from '../../../../src/phases/1-plan/check/check_skill.ts'
import { readSkill } from '../../../../src/phases/1-plan/skill/read_skill.ts'
import { findSuites } from '../../../../src/phases/1-plan/suite/find_suites.ts'
import { hasSuite, loadSuite } from '../../../../src/phases/1-plan/suite/load_suite.ts'
import { folderOf, skillText, userError } from '../folder.ts'

const evals = JSON.stringify({
  skill_name: 's',
  evals: [{ id: 1, prompt: 'p', expectations: ['e'], files: ['x.csv'] }],
})
const waza = 'skill: sums\ntasks: [{ id: a, prompt: p, graders: [{ type: text, config: { contains: [x] } }] }]\n'
const found = async (place: string, root?: string) => {
  const { path: file, cases } = await loadSuite(place, root)
  return [file, cases[0]?.cannot_run, cases[0]?.files[0]?.source]
}

describe('found', () => {
  test.each(['evals/evals.json', 'evals.json'])('%s of a skill folder', async (place) => {
    const root = folderOf({ 'SKILL.md': skillText, [place]: evals, 'x.csv': '' })
    expect(await found(root)).toEqual([path.join(root, place), null, path.join(root, 'x.csv')])
  })
  test('evals/evals.json before evals.json', async () => {
    const root = folderOf({ 'SKILL.md': skillText, 'evals/evals.json': evals, 'evals.json': '', 'x.csv': '' })
    expect((await loadSuite(root)).path).toBe(path.join(root, 'evals/evals.json'))
  })
  test('an explicit file elsewhere, with the skill named', async () => {
    const root = folderOf({ 'SKILL.md': skillText, 'x.csv': '' })
    const other = folderOf({ 'suite.json': evals })
    expect(await found(path.join(other, 'suite.json'), root)).toEqual([
      path.join(other, 'suite.json'),
      null,
      path.join(root, 'x.csv'),
    ])
  })
  test.each<[string, Record<string, string>, string]>([
    ['its files start at the folder above with SKILL.md', { 'SKILL.md': skillText }, 'evals/more/hard.json'],
    ['elsewhere, without a skill named', {}, 'suite.json'],
    ['in evals/ without any skill', {}, 'evals/a.json'],
  ])('an explicit file: %s', async (_, files, place) => {
    const root = folderOf({ ...files, [place]: evals, 'x.csv': '' })
    expect(await found(path.join(root, place))).toEqual([path.join(root, place), null, path.join(root, 'x.csv')])
  })
  test.each([
    ['SKILL.md', { 'SKILL.md': skillText }, 'sums', "SKILL.md's name"],
    ['the folder, for a SKILL.md without name', { 'SKILL.md': 'x' }, null, "the folder's name"],
    ['the folder', {}, null, "the folder's name"],
  ])('a suite that names no skill takes the name of %s', async (_, files, name, from) => {
    const root = folderOf({ ...files, 'evals/evals.json': '[{"prompt": "p"}]' })
    const { skill_name, warnings } = await loadSuite(root)
    expect(skill_name).toBe(name ?? path.basename(root))
    expect(warnings.map(({ message }) => message)).toContain(`names no skill; ${from} is used`)
  })
})

describe('a suite outside of the skill that is named like it', () => {
  const layout = (skill: string, suite: string, more: Record<string, string> = {}) => {
    const root = folderOf({ [`${skill}/SKILL.md`]: skillText, [suite]: waza, ...more })
    return { skill: path.join(root, skill), suite: path.join(root, suite) }
  }
  test.each([
    ['skills/sums', 'evals/sums/eval.yaml'],
    ['.github/skills/sums', 'evals/sums/eval.yaml'],
    ['plugins/math/skills/sums', 'tests/math/sums/eval.yaml'],
    ['plugins/math/skills/sums', 'plugins/math/tests/sums/eval.yaml'],
  ])('%s with %s', async (skill, suite) => {
    const place = layout(skill, suite)
    expect((await loadSuite(place.skill)).path).toBe(place.suite)
    expect(await hasSuite(place.skill)).toBe(true)
    const [one, ...others] = await findSuites(place.skill, null)
    expect([one?.place, await one?.findRoot(), (await one?.load())?.root]).toEqual([
      place.suite,
      place.skill,
      place.skill,
    ])
    expect(others).toEqual([])
  })
  test.each([
    ['of another skill', 'skills/sums', 'evals/other/eval.yaml', {}],
    ['above the repository', 'repo/skills/sums', 'evals/sums/eval.yaml', { 'repo/.git/HEAD': '' }],
    ['of no known system', 'skills/sums', 'evals/sums/other.yaml', { 'evals/sums/eval.yaml': 'a: 1\n' }],
  ])('one %s is not taken', async (_, skill, suite, more) => {
    expect((await userError(loadSuite(layout(skill, suite, more).skill))).message).toMatch(/no suite found$/)
  })
  test('one in the skill wins', async () => {
    const place = layout('skills/sums', 'evals/sums/eval.yaml', { 'skills/sums/evals/evals.json': evals })
    expect((await loadSuite(place.skill)).path).toBe(path.join(place.skill, 'evals/evals.json'))
  })
})

describe('refused', () => {
  test('no such folder', async () => {
    const root = folderOf({})
    rmSync(root, { recursive: true })
    expect((await userError(loadSuite(root))).message).toBe(`${root}: no such file or folder`)
  })
  test('a skill without a suite', async () => {
    const error = await userError(loadSuite(folderOf({ 'SKILL.md': skillText })))
    expect(error.message).toMatch(/no suite found$/)
    expect(error.fix).toContain('evals/evals.json')
  })
  test.each([
    ['evals/evals.json', 'evals/evals.json', 'a link to gone/away, which is not there'],
    ['evals.json', 'evals.json', 'a link to gone/away, which is not there'],
    ['evals', 'evals/evals.json', '<root>/evals is a link to gone/away, which is not there'],
  ])('a link that leads nowhere as %s', async (link, file, why) => {
    const root = folderOf({ 'SKILL.md': skillText })
    mkdirSync(path.dirname(path.join(root, link)), { recursive: true })
    symlinkSync('gone/away', path.join(root, link))
    const { message } = await userError(loadSuite(root))
    expect(message).toBe(`${path.join(root, file)}: ${why.replace('<root>', root)}`)
    expect(await hasSuite(root)).toBe(true)
  })
  test('a folder that is a link that leads nowhere', async () => {
    const link = path.join(folderOf({}), 'skill')
    symlinkSync('../gone', link)
    const words = `${link}: a link to ../gone, which is not there`
    const readers = [loadSuite, readSkill, resolveSkillFolder, (place: string) => findSuites(place, null)]
    for (const read of readers) expect((await userError(read(link))).message).toBe(words)
  })
  test.each<[string, BufferEncoding, string]>([
    ['with its mark', 'utf16le', '\uFEFF'],
    ['without', 'utf16le', ''],
  ])('UTF-16 %s', async (_, encoding, mark) => {
    const root = folderOf({ 'evals/evals.json': Buffer.from(`${mark}${evals}`, encoding) })
    const error = await userError(loadSuite(root))
    expect(error.message).toBe(`${root}/evals/evals.json: encoded as UTF-16, expected UTF-8`)
    expect(error.fix).toBe('save it as UTF-8')
  })
  test('a file of no known format', async () => {
    const root = folderOf({ 'suite.toml': '' })
    expect((await userError(loadSuite(path.join(root, 'suite.toml')))).fix).toContain(
      'expected one of evals.json, plugin-eval, ',
    )
  })
  test('a suite that agents would get with the skill', async () => {
    const root = folderOf({ 'SKILL.md': skillText, 'tests/suite.json': evals })
    const error = await userError(loadSuite(path.join(root, 'tests/suite.json')))
    expect(error.message).toMatch(/agents would see this suite/)
    expect(error.fix).toBe(`move it, and the files that it names, to ${root}/evals/`)
  })
  test("waza's tests/eval.yaml, for the skill's folder too", async () => {
    const root = folderOf({ 'SKILL.md': skillText, 'tests/eval.yaml': waza })
    const error = await userError(loadSuite(root))
    expect(error.message).toBe(`${root}/tests/eval.yaml: agents would see this suite, because it is part of the skill`)
    expect(error.fix).toContain(`${root}/evals/`)
    const [found] = await findSuites(root, null)
    expect((await userError(Promise.resolve(found?.load()))).message).toBe(error.message)
    const { problems } = await checkSkill(root)
    expect(problems.map(({ rule }) => rule)).toContain('suite-unreadable')
    const plain = folderOf({ 'SKILL.md': skillText, 'tests/eval.yaml': 'a: 1\n' })
    expect((await userError(loadSuite(plain))).message).toMatch(/no suite found$/)
  })
})

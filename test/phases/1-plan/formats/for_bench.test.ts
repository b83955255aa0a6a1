/** EVAL.md and golden tests in bench: skills are compared, by our judge; agents are not; nobody finds the suite in the skill. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkSkillFolder } from '../../../../src/phases/1-plan/check/check_skill_folder.ts'
import { requireValidBenchSuite } from '../../../../src/phases/1-plan/check/invalid_suite.ts'
import { listSkillFiles } from '../../../../src/phases/1-plan/skill/read_skill.ts'
import { adaptSuiteToBench } from '../../../../src/phases/1-plan/suite/adapt_for_bench.ts'
import { inspectSuite, loadSuite } from '../../../../src/phases/1-plan/suite/load_suite.ts'
import { folderOf, skillText, skillWith } from '../folder.ts'

const evalMd = '## greets\n### Prompt\nHi\n### Expect\nIt greets.\n'

describe('bench', () => {
  test('finds the EVAL.md of a skill, and judges its rubric as an expectation', async () => {
    const suite = await loadSuite(folderOf({ 'SKILL.md': skillText, 'EVAL.md': evalMd }))
    expect(suite.format).toBe('eval.md')
    expect(suite.cases[0]?.judging).toEqual({ kind: 'verdict' })
    const [one] = adaptSuiteToBench(suite).cases
    expect(one).toMatchObject({ prompt: 'Hi', expectations: [{ text: 'It greets.' }], cannot_run: null })
    expect(one).not.toHaveProperty('judging')
  })
  test('what only eval keeps to is said', async () => {
    const files = {
      'package.agent.json': '{"name":"p","version":"1.0.0"}',
      'evals/eval-config.json': '{"version":1,"engine":"codex","judge":"gpt-5"}',
      'evals/cases/a.yaml': 'name: a\ntarget: skill:sums\ninput: { prompt: p }\njudge: { criteria: c }\n',
      'skills/sums/SKILL.md': skillText,
      'skills/sums/evals/evals.json': '[{"prompt":"p","expectations":["e"]}]',
    }
    const root = folderOf(files)
    const said = async (place: string) =>
      adaptSuiteToBench(await loadSuite(path.join(root, place), path.join(root, 'skills/sums'))).warnings.map(
        (one) => one.message,
      )
    expect(await said('.')).toEqual([
      'only eval applies these settings of the suite: the engine codex (--engine), the judge gpt-5 (--judge), 120 s for a case (--timeout), no judge after a failed check',
    ])
    expect((await said('skills/sums')).join()).not.toContain('only eval')
  })
  test('what check warns of is said', async () => {
    const root = skillWith([{ prompt: 'p', expectations: ['e'] }])
    const options = { skill: await checkSkillFolder(root), others: [], allowInvalid: false }
    const { warnings } = requireValidBenchSuite(await inspectSuite(root), options)
    expect(warnings.map(({ message }) => message).join()).toContain('[name-folder]')
  })
  test('a report beside a skill is no suite of it', async () => {
    const folder = folderOf({ 'SKILL.md': skillText, 'EVAL.md': '# Report\n\n## Results\nfine\n' })
    await expect(loadSuite(folder)).rejects.toThrow('no suite found')
  })
  test('refuses a suite about an agent', async () => {
    const suite = await loadSuite(folderOf({ 'AGENT.md': '---\nname: neve\n---\nYou are Neve.', 'EVAL.md': evalMd }))
    expect(() => adaptSuiteToBench(suite)).toThrow('agent:neve')
  })
  test.each(['EVAL.md', 'deep/x.eval.md', 'a.EVAL.md'])('agents never see %s of a skill', async (name) => {
    const { files } = await listSkillFiles(
      folderOf({ 'SKILL.md': skillText, [name]: evalMd, 'references/eval.md': 'x' }),
    )
    expect(files.map((file) => file.path)).toEqual(['SKILL.md', path.join('references', 'eval.md')])
  })
})

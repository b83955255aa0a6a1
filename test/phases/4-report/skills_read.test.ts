/** Which skills were read: counted by configuration over the runs in the rates, and shown as a table. */
import { expect, test } from 'vitest'
import { countSkillsRead, skillsReadTable } from '../../../src/phases/4-report/stats/scores/skills_read.ts'

const arms = { candidate: 'with_skill', baseline: 'without_skill' }
const run = (run_id: string, configuration: string) => {
  return { run_id, configuration, eval_id: 1, eval_name: 'a', run_number: 1 }
}
const planned = [run('a', 'with_skill'), run('b', 'with_skill'), run('c', 'without_skill'), run('d', 'without_skill')]
const record = (names: string[]) => ({ skills_read: names.map((name) => ({ name, step: 1 })) })
const results = new Map(
  [
    ['a', record(['near', 'tidy'])] as const,
    ['b', record([])] as const,
    ['c', record(['near'])] as const,
    ['d', {}] as const,
  ].map(([id, one]) => [id, { record: one, grading: null, timing: null, metrics: null } as never]),
)

test('a run that does not count, and one that shows nothing, are left out', () => {
  const counts = countSkillsRead({ planned, results }, new Set(['a', 'b', 'c', 'd']), arms)
  expect(counts).toEqual([
    { configuration: 'with_skill', skill: 'near', read: 1, runs: 2 },
    { configuration: 'with_skill', skill: 'tidy', read: 1, runs: 2 },
    { configuration: 'without_skill', skill: 'near', read: 1, runs: 1 },
    { configuration: 'without_skill', skill: 'tidy', read: 0, runs: 1 },
  ])
  expect(countSkillsRead({ planned, results }, new Set(['b']), arms)).toEqual([])
  expect(skillsReadTable({ skills_read: counts })).toEqual({
    header: ['skill read', 'with skill', 'without skill'],
    rows: [
      ['near', '1 of 2 runs', '1 of 1 runs'],
      ['tidy', '1 of 2 runs', '0 of 1 runs'],
    ],
  })
  expect(skillsReadTable({})).toBeNull()
})

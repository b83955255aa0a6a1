/** trigger_matrix.json of many skills, each free text in it made by `say`: the second takes queries of the first, the last only competes. */
import { type TriggerMatrix, triggerMatrix } from '../../schemas/trigger_matrix.ts'
import { meanShare } from '../../src/features/triggers/all/theft_rule.ts'

type Say = (text: string) => string

const fourSkillNames = ['invoices', 'pdf-forms', 'release-notes', 'spare'] as const

const cost = { usd: 0.01, source: 'agent' } as const

/** Two queries per skill with two runs each; of the third skill a run failed. */
export function matrixFile(say: Say, given: readonly string[] = fourSkillNames): string {
  const names = given.map(say)
  const [first = '', thief = '', third = ''] = names
  const asked = names.slice(0, -1)
  const readFor = (skill: string, nth: number) => (skill === first && nth === 0 ? thief : skill)
  const queries = asked.flatMap((skill, at) =>
    [0, 1].map((nth) => {
      const errors = skill === third && nth === 1 ? 1 : 0
      return {
        query_id: 2 * at + nth + 1,
        query: say(`what ${given[at]} is for, ${nth + 1}`),
        asked_with: skill,
        owners: [skill],
        not_of: [],
        runs: 2 - errors,
        errors,
        missing: 0,
        reads: [{ skill: readFor(skill, nth), runs: 2 - errors }],
      }
    }),
  )
  const runs = queries.flatMap((query) =>
    [1, 2].map((number): TriggerMatrix['runs'][number] => {
      const failed = number > query.runs
      return {
        query_id: query.query_id,
        run_number: number,
        run_id: `eval-${query.query_id}/with_skill/run-${number}`,
        outcome: failed ? 'error' : 'answered',
        read: failed ? null : (query.reads[0]?.skill ?? null),
        error: failed ? { kind: 'rate_limited', message: say('429: slow down') } : null,
        tokens: 900,
        duration_ms: 1200,
        cost,
      }
    }),
  )
  const theft = { skill: first, taken_by: thief, reads: 2, runs: 4, rate: meanShare([1, 0]), query_ids: [1] }
  const value = {
    schema_version: 1,
    created_at: '2026-01-15T11:00:00Z',
    name: say('skills'),
    skills_folder: say('skills'),
    engine: { name: 'anthropic', model: 'claude-sonnet-4-5' },
    version: null,
    model: say('claude-sonnet-4-5'),
    sandbox: null,
    options: {
      ...{ runs: 5, until: 'decided', tolerated_rate: 0.05, theft_rate: 0.5, miss_rate: 0.1, fdr: 0.05 },
      ...{ timeout_seconds: 30, max_turns: 3, stop_early: true },
    },
    skills: names.map((name) => {
      const isAsked = asked.includes(name)
      return {
        ...{ name, description: say('Does it.'), sha256: 'a'.repeat(64), set: isAsked ? say('evals/set.json') : null },
        ...(isAsked ? { queries: 2, runs: name === third ? 3 : 4, rounds: 2 } : { queries: 0, runs: 0, rounds: 0 }),
        ended: !isAsked ? 'no_queries' : name === third ? 'open' : 'decided',
        recall: !isAsked ? null : meanShare(name === first ? [1, 0] : [1, 1]),
        precision: !isAsked ? null : name === thief ? meanShare([1, 1, 0]) : meanShare([1, 1]),
        false_trigger_rate: null,
        reads: [],
        takes_from: name === thief ? [first] : [],
        loses_to: name === first ? [thief] : [],
      }
    }),
    queries,
    pairs: [{ ...theft, p_value: 0.0004, q_value: 0.003, named: true }],
    pairs_tested: 9,
    overlaps: [
      {
        ...{ a: first, b: thief, similarity: 0.62, delimited: false },
        ...{ words: [say('invoice'), say('fields')], phrases: [say('fill in')] },
      },
    ],
    runs,
    summary: {
      ...{
        skills: names.length,
        queries: queries.length,
        thefts: 1,
        lowest_recall: 0.5,
        runs_grid: queries.length * 5,
      },
      ...{ runs_planned: runs.length, runs_decided: runs.length - 1, runs_failed: 1, runs_missing: 0, grid_share: 0.4 },
    },
    cost: { usd: 0.11, tokens: 10_800, seconds: 14.4, unknown: 1 },
    set_warnings: [],
    complete: false,
    stop: null,
    warnings: [say('runs without an answer, not in any rate: 1 rate_limited')],
  }
  return JSON.stringify(triggerMatrix.parse(value))
}

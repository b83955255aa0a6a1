/** The rules for a suite as a whole. */
import type { InspectedSuite } from '../inspected.ts'
import { inCase } from './case_subject.ts'
import { counts } from './check_rules.ts'
import type { Finding, Rule } from './rule.ts'

export interface SuiteSubject extends InspectedSuite {
  /** SKILL.md's; null: there is none. */
  skillName: string | null
}

const fewCases = 5

export const suiteRules: readonly Rule<SuiteSubject>[] = [
  {
    id: 'own-field',
    severity: 'error',
    about:
      "A mistake in a field that is Whetstone's own (`checks`, `reference`, `turns`, `timeout`, `setup`, `git`, `eval_key`): the suite is refused.",
    find: ({ mistakes }) =>
      mistakes.map(({ at, message }) => ({ at, message, fix: 'docs/formats.md shows each of these fields' })),
  },
  {
    id: 'duplicate-id',
    severity: 'error',
    about: 'Two cases have the same id.',
    find: duplicateIds,
  },
  {
    id: 'suite-ungraded',
    severity: 'error',
    about: 'No case of the suite has criteria, or none but indicators: nothing can be said about the skill.',
    find: ungraded,
  },
  {
    id: 'suite-small',
    severity: 'warning',
    about: `Fewer than ${fewCases} cases can run and count (indicators do not): too few to conclude anything about other tasks, whatever the number of runs.`,
    find: small,
  },
  {
    id: 'skill-name-differs',
    severity: 'warning',
    about: 'The suite names another skill than SKILL.md.',
    find: ({ suite, skillName }) =>
      skillName === null || suite.skill_name === skillName
        ? []
        : [
            {
              at: '$.skill_name',
              message: `names ${suite.skill_name}; SKILL.md says ${skillName}, which is used`,
              fix: 'write the same name',
            },
          ],
  },
]

function duplicateIds(subject: SuiteSubject): Finding[] {
  const seen = new Map<string, string>()
  return subject.suite.cases.flatMap((one, index) => {
    const id = one.eval_key ?? String(one.eval_id)
    const place = subject.places[index] ?? { file: subject.suite.path, at: null }
    const before = seen.get(id)
    seen.set(id, before ?? place.at ?? place.file)
    if (before === undefined) return []
    const words = {
      message: `the id ${JSON.stringify(id)} is that of ${before}`,
      fix: 'give each case an id of its own',
    }
    return [inCase({ case: one, place }, null, words)]
  })
}

function ungraded({ suite, mistakes }: SuiteSubject): Finding[] {
  if (mistakes.length > 0 || suite.cases.some(counts)) return []
  const isBare = suite.cases.every((one) => one.expectations.length + one.checks.length === 0)
  return isBare
    ? [{ message: 'no case has criteria', fix: 'add expectations or checks' }]
    : [{ message: 'no case has a criterion other than indicators', fix: 'add some that both arms can meet' }]
}

function small({ suite, mistakes }: SuiteSubject): Finding[] {
  const able = suite.cases.filter((one) => one.cannot_run === null && counts(one))
  const count = able.length
  if (mistakes.length > 0 || count === 0 || count >= fewCases) return []
  const chance = Math.min(1, 2 / 2 ** count)
  const message =
    `${count} case${count === 1 ? '' : 's'} to conclude from: even if every one went the same way, chance alone would do that ` +
    `in ${Math.round(chance * 100)} of 100 suites (sign test over cases)`
  return [{ message, fix: `write at least ${fewCases}; more runs of the same cases do not help` }]
}

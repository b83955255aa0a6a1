/** What lies beside a benchmark, a sentence each. */
import { describe, expect, test } from 'vitest'
import { description } from '../../../schemas/description.ts'
import { history } from '../../../schemas/history.ts'
import { triggerMatrix } from '../../../schemas/trigger_matrix.ts'
import { triggers } from '../../../schemas/triggers.ts'
import { describeExtras, type WorkspaceExtras } from '../../../src/phases/4-report/page/workspace_facts.ts'
import { descriptionFile, triggersFile } from '../../viewer/artefacts.ts'
import { historyFile } from '../../viewer/session_history.ts'
import { matrixFile } from '../../viewer/skill_matrix.ts'

const plain = (text: string) => text
const tried = history.parse(JSON.parse(historyFile(plain)))
const measured = triggers.parse(JSON.parse(triggersFile(plain)))
const many = triggerMatrix.parse(JSON.parse(matrixFile(plain)))
const sought = description.parse(JSON.parse(descriptionFile(plain)))

describe('what lies beside', () => {
  test.each<[string, WorkspaceExtras, string[]]>([
    ['nothing', {}, []],
    [
      'the certification of a session',
      { history: { value: tried } },
      [expect.stringContaining('improve: Improve: Better: pass rate 70% with v2, 50% with v0: +20 points')],
    ],
    [
      'a session with nothing to certify',
      { history: { value: { ...tried, certification: null, iterations: tried.iterations.slice(0, 1) } } },
      ['improve: Improve: nothing to certify; 0 versions tried.'],
    ],
    [
      'triggers that are not complete',
      { triggers: { value: measured } },
      ['triggers: Triggers: 3 of 6 queries behave as they should (recall 78%, precision 75%); incomplete.'],
    ],
    [
      'many skills, none of which takes queries',
      { trigger_matrix: { value: { ...many, complete: true, summary: { ...many.summary, thefts: 0 } } } },
      [
        expect.stringMatching(
          /^triggers: Triggers: No skill is shown to take queries of another\. 4 skills, 6 queries/,
        ),
      ],
    ],
    [
      'a description',
      { description: { value: sought } },
      ['triggers: Description: 2 descriptions tried, one is accepted: better on the test queries'],
    ],
    ['what has no known form', { history: { raw: {} } }, ['improve: improve: unknown format.']],
  ])('%s', (_what, beside, said) => {
    expect(describeExtras(beside).map(({ tab, text }) => `${tab}: ${text}`)).toEqual(said)
  })
})

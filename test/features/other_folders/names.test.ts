import { describe, expect, test } from 'vitest'
import { chooseArms } from '../../../src/features/other_folders/arms.ts'
import { parseRunPlace } from '../../../src/features/other_folders/layout.ts'
import { benchmarkFolderName } from '../../../src/flows/page/workspace_page.ts'

describe('a path says', () => {
  test.each([
    ['eval-1-totals/with_skill/run-2', 'eval-1-totals', 'with_skill', 2],
    ['eval-x/without_skill', 'eval-x', 'without_skill', null],
    ['runs/eval-3/old_skill/run-10', 'eval-3', 'old_skill', 10],
    ['monthly-report/new_skill/outputs', 'monthly-report', 'new_skill', null],
    ['with_skill/eval-1', 'eval-1', 'with_skill', null],
    ['eval-1/with_skill/with_skill', 'eval-1', 'with_skill', null],
    ['create-new-skill/with_skill', 'create-new-skill', 'with_skill', null],
    ['pdf_with_skill/original-file', 'original-file', 'pdf_with_skill', null],
    ['Claude with skills/current_year', 'current_year', 'Claude with skills', null],
    ['with_skill/new-skill-from-scratch', 'new-skill-from-scratch', 'with_skill', null],
    ['totals/new_skill_v2', 'totals', 'new_skill_v2', null],
    ['old_skill_v1/original-file', 'original-file', 'old_skill_v1', null],
    ['stay-with-skillful-hands/candidate-v1', 'stay-with-skillful-hands', 'candidate-v1', null],
    ['eval-1/gpt/run-1', 'eval-1', 'gpt', 1],
    ['skill_enabled/totals', 'totals', 'skill_enabled', null],
    ['turn-lights-on/v1', 'turn-lights-on', 'v1', null],
    ['eval-1/run-1', 'eval-1', null, 1],
    ['eval-1', 'eval-1', null, null],
    ['.', '', null, null],
    ['eval-1/with_skill/run-a', 'eval-1', 'with_skill', 'a'],
    ['iteration-2/eval-1/with_skill', 'eval-1', 'with_skill', null],
  ])('%s: case %s, configuration %s, run %s', (folder, name, configuration, run) => {
    expect(parseRunPlace(folder)).toMatchObject({ case: name, configuration, run })
  })
  test('nothing among the outputs of an agent', () =>
    expect(parseRunPlace('eval-1/with_skill/outputs/site')).toBeNull())
  test('that a copy lies inside a copy', () => expect(parseRunPlace('eval-1/with_skill/with_skill')?.repeats).toBe(1))
  test('its iteration', () => expect(parseRunPlace('iteration-2/eval-1/with_skill')?.iteration).toBe('iteration-2'))
})

describe('candidate and baseline are', () => {
  test.each([
    [['with_skill', 'without_skill'], 'with_skill', 'without_skill'],
    [['old_skill', 'with_skill'], 'with_skill', 'old_skill'],
    [['new_skill', 'old_skill'], 'new_skill', 'old_skill'],
    [['baseline', 'with_skill'], 'with_skill', 'baseline'],
    [['old_skill', 'without_skill'], 'old_skill', 'without_skill'],
    [['baseline', 'v2'], 'v2', 'baseline'],
    [['claude_with_skill', 'control'], 'claude_with_skill', 'control'],
    [['with_skill'], 'with_skill', null],
    [['v1', 'v2'], 'v2', 'v1'],
    [['V-2', 'v10'], 'v10', 'V-2'],
    [['v1.2', 'v1.10'], 'v1.10', 'v1.2'],
    [['v1', 'v1.1'], 'v1.1', 'v1'],
    [['pdf', 'pdf_v2'], 'pdf_v2', 'pdf'],
    [['skill_enabled', 'skill_disabled'], 'skill_enabled', 'skill_disabled'],
    [['off', 'on'], 'on', 'off'],
    [['pdf-new', 'pdf-old'], 'pdf-new', 'pdf-old'],
    [['legacy', 'main'], 'main', 'legacy'],
    [['main', 'updated'], 'updated', 'main'],
    [['version-1', 'version-2'], 'version-2', 'version-1'],
    [['pdf_iteration_2', 'pdf_iteration_1'], 'pdf_iteration_2', 'pdf_iteration_1'],
    [['legacy-v1', 'main'], 'main', 'legacy-v1'],
    [['gpt-4o', 'gpt-4o-latest'], 'gpt-4o-latest', 'gpt-4o'],
    [['before', 'after'], 'after', 'before'],
  ])('of %j: %s and %s, without a remark', (names, candidate, baseline) => {
    expect(chooseArms(names)).toEqual({ candidate, baseline, note: null, others: [] })
  })
  test.each([
    [['v_b', 'v_a'], 'v_a', 'v_b'],
    [['pdf_v1', 'docx_v2'], 'docx_v2', 'pdf_v1'],
    [['v1.0', 'v1'], 'v1', 'v1.0'],
    [['gemini-2.0-flash', 'gemini-1.5-flash-latest'], 'gemini-1.5-flash-latest', 'gemini-2.0-flash'],
    [['new-york', 'boston'], 'boston', 'new-york'],
    [['gpt-4o', 'mistral-large-latest'], 'gpt-4o', 'mistral-large-latest'],
    [['stay-on', 'b'], 'b', 'stay-on'],
    [['with_reference', 'without_reference'], 'with_reference', 'without_reference'],
  ])('of %j in name order, and it is said', (names, candidate, baseline) => {
    expect(chooseArms(names)).toMatchObject({ candidate, baseline, note: expect.stringMatching(/name order.*\.$/) })
  })
  test.each([
    [['old_skill', 'without_skill', 'with_skill'], 'with_skill', 'without_skill', ['old_skill']],
    [['v1', 'v2', 'v3'], 'v3', 'v1', ['v2']],
    [['baseline', 'v1', 'v2'], 'v2', 'baseline', ['v1']],
    [['with_skill', 'old_v1', 'old_v2'], 'with_skill', 'old_v1', ['old_v2']],
    [['b-new', 'b', 'a'], 'b-new', 'b', ['a']],
    [['b-new', 'b-old', 'a-new', 'a-old'], 'a-new', 'a-old', ['b-new', 'b-old']],
  ])('of %j: %s and %s, not %j', (names, candidate, baseline, others) => {
    expect(chooseArms(names)).toMatchObject({ candidate, baseline, others })
  })
})

test.each([
  ['/a/pdf-workspace/iteration-2', 'pdf'],
  ['/a/pdf/evals/results', 'pdf'],
  ['/a/pdf', 'pdf'],
])('the skill of %s is %s', (folder, name) => expect(benchmarkFolderName(folder)).toBe(name))

/** A benchmark with every artefact that may lie beside it: comparisons, versions, triggers, a trend, an iteration before. */
import { aggregate } from '../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../phases/4-report/fixture.ts'
import { analysisFile, comparisonFile, outside, trendFile, triggersFile } from './artefacts.ts'
import { historyFile } from './session_history.ts'

const plain = (text: string) => text
const arms = [...arm(1, 'with_skill', ['++-', '++-']), ...arm(1, 'without_skill', ['+--', '---'])]
export const benchmark = aggregate(inputOf(arms))
const before = '../2026-01-14T10-00-00Z'
const older = aggregate(inputOf([...arm(1, 'with_skill', ['+--']), ...arm(2, 'with_skill', ['+'])]))
export const runs = benchmark.runs.map(({ eval_id, configuration, run_number }) => {
  return {
    eval_id,
    configuration,
    run_number,
    outputs: { 'a.md': 'same\nnow\n' },
    record: { final_response: 'it is done' },
  }
})
export const files = {
  '../../history.json': historyFile(plain),
  '../../versions/v0/SKILL.md': '# Skill\n\nDo it.\n',
  '../../versions/v0/same.txt': 'same',
  '../../versions/v2/SKILL.md': '# Skill\n\nDo it well.\n',
  '../../versions/v2/same.txt': 'same',
  '../../versions/v2/scripts/merge.py': 'print(1)\n',
  '../../triggers/2026-01-14T11-00-00Z/triggers.json': '{"of":"before"}',
  '../../triggers/2026-01-15T11-00-00Z/triggers.json': triggersFile(plain),
  '../../trend.json': trendFile(plain),
  'eval-1/comparison-1.json': comparisonFile(plain),
  'eval-1/analysis.json': analysisFile(plain),
  [`${before}/benchmark.json`]: JSON.stringify(older),
  [`../../${outside}/benchmark.json`]: JSON.stringify(older),
  [`${before}/feedback.json`]: JSON.stringify({ 'eval-1-with_skill-run-1': 'too long', 'eval-1': 'a hard case' }),
  [`${before}/eval-1/with_skill/run-1/run.json`]: JSON.stringify({ final_response: 'it was done' }),
  [`${before}/eval-1/with_skill/run-1/outputs/a.md`]: 'same\nthen\n',
}

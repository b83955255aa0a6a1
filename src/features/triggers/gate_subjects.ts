/** What the gates of `triggers` check: the measurement of one skill, or of many. */
import { triggerMatrix } from '../../../schemas/trigger_matrix.ts'
import { triggers } from '../../../schemas/triggers.ts'
import type { GateSubject } from '../../phases/4-report/gate/parse_gate.ts'

export const triggersGateSubject: GateSubject = {
  file: 'triggers.json',
  schema: triggers,
  shortNames: {
    recall: 'metrics.recall.value',
    recall_low: 'metrics.recall.ci_low',
    precision: 'metrics.precision.value',
    precision_low: 'metrics.precision.ci_low',
    false_trigger_rate: 'metrics.false_trigger_rate.value',
    accuracy: 'metrics.accuracy.value',
    passed: 'summary.passed',
    failed: 'summary.failed',
    errors: 'summary.runs_failed',
    cost: 'cost.usd',
  },
  example: 'such as --gate "recall >= 90%", --gate "precision_low > 0.7" or --gate "failed == 0"',
}

export const triggerMatrixGateSubject: GateSubject = {
  file: 'trigger_matrix.json',
  schema: triggerMatrix,
  shortNames: {
    thefts: 'summary.thefts',
    lowest_recall: 'summary.lowest_recall',
    errors: 'summary.runs_failed',
    cost: 'cost.usd',
  },
  example: 'such as --gate "thefts == 0" or --gate "lowest_recall >= 80%"',
}

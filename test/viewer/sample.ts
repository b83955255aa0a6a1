/** What the page is shown with in tests: a small benchmark with transcripts and outputs, and one of everything that can happen. */
import { aggregate } from '../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf, oneOfEverything } from '../phases/4-report/fixture.ts'
import { type Staged, stage } from './stage.ts'

const at = (second: number) => `2026-01-15T10:30:${String(second).padStart(2, '0')}.000Z`
const events = [
  { type: 'user', at: at(0), step: 0, text: 'Add up the sales' },
  { type: 'assistant', at: at(1), step: 1, text: 'I read the file first.' },
  { type: 'tool_call', at: at(2), step: 1, id: 'a', name: 'Read', input: { file: 'sales.csv' } },
  { type: 'tool_result', at: at(5), step: 1, id: 'a', name: 'Read', output: 'north,1284.50', is_error: false },
  { type: 'hook', at: at(6), step: 1, event: 'PreToolUse', outcome: 'blocked', text: 'no network here' },
  { type: 'error', at: at(7), step: 2, kind: 'overloaded', message: 'the model was busy' },
  {
    type: 'result',
    at: at(8),
    step: 2,
    text: 'The total is 1284.50',
    stop_reason: 'end_turn',
    usage: null,
    cost_usd: null,
  },
]
const expectations = [
  { text: 'The total is 1284.50', passed: true, evidence: 'report.md says "Total: 1284.50"', decided_by: 'judge' },
  { text: 'The file was read', passed: true, evidence: 'the tool gave "north,1284.50"', decided_by: 'judge' },
  { text: 'It cites a source', passed: false, evidence: 'it says "as Smith wrote"', evidence_verified: 'absent' },
]
export const everything = aggregate(oneOfEverything)
const small = aggregate(
  inputOf([
    ...arm(1, 'with_skill', ['++-', '++-'], { grading: { expectations } }),
    ...arm(1, 'without_skill', ['+--', '---']),
    ...arm(2, 'with_skill', ['--', '+-']),
    ...arm(2, 'without_skill', ['++', '++']),
  ]),
)
const runs = small.runs.map(({ eval_id, configuration, run_number }) => ({
  eval_id,
  configuration,
  run_number,
  events,
  outputs: {
    'report.md': `# Sales\n\nTotal: 1284.50\nby ${configuration}\n`,
    'data.csv': 'region,sum\nnorth,1284.50\n"a, b",2\n',
    'tree.json': '{"deep":{"list":[1,2,{"x":null}]}}',
    'code.py': 'def total(x):\n    return x  # sum\n',
    'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
    'blob.bin': new Uint8Array([0, 1, 2, 255]),
  },
}))

export function stageSmall(): Promise<Staged> {
  return stage({
    benchmark: small,
    runs,
    prompts: { cases: [{ eval_id: 1, prompt: 'Add up the sales', metadata: { purpose: 'sums' } }] },
  })
}

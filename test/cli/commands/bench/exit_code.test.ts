/** The exit code of bench: 3 where the comparison is not whole, also if every run ended as planned. */
import { expect, test } from 'vitest'
import { benchExitCode } from '../../../../src/cli/commands/bench/print.ts'
import { exitCodes } from '../../../../src/cli/exit_codes.ts'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import type { AggregateInput } from '../../../../src/phases/4-report/benchmark/aggregate_input.ts'
import type { GateOutcome } from '../../../../src/phases/4-report/gate/check_gates.ts'
import { arm, inputOf, type Line } from '../../../phases/4-report/fixture.ts'

function exitCodeOf(lines: Line[], changes: Partial<AggregateInput> = {}, gates: GateOutcome[] = []) {
  const benchmark = aggregate(inputOf(lines, changes))
  const paths = { benchmark: 'b.json', markdown: 'b.md', report: 'report.html' }
  const result = { folder: 'f', benchmark, paths, page: true, folders: new Map(), prompts: { cases: [] } }
  return { complete: benchmark.complete, code: benchExitCode(result, gates) }
}

const paired = [...arm(1, 'with_skill', ['+']), ...arm(1, 'without_skill', ['-'])]
const late = { record: { status: 'timed_out' } }
/** Its time-outs are left out on request, so the benchmark is complete. */
const unpaired = [...paired, ...arm(2, 'with_skill', ['+']), ...arm(2, 'without_skill', ['-', '-'], late)]
const failedGate = { passed: false } as GateOutcome // only whether it passed is read

test.each<[string, Line[], Partial<AggregateInput>, GateOutcome[], boolean, keyof typeof exitCodes]>([
  ['every case graded in both configurations', paired, {}, [], true, 'done'],
  ['a case graded in one configuration only', unpaired, { onTimeout: 'exclude' }, [], true, 'incomplete'],
  ['the same with its time-outs counted as failures', unpaired, { onTimeout: 'fail' }, [], true, 'done'],
  ['one configuration, which needs no pair', arm(1, 'with_skill', ['+']), { baseline: null }, [], true, 'done'],
  ['a run without a grade', [...paired, ...arm(2, 'with_skill', [null])], {}, [], false, 'incomplete'],
  ['a failed gate', paired, {}, [failedGate], true, 'gateFailed'],
  ['a failed gate and a case without a pair', unpaired, { onTimeout: 'exclude' }, [failedGate], true, 'incomplete'],
])('%s', (_, lines, changes, gates, complete, code) => {
  expect(exitCodeOf(lines, changes, gates)).toEqual({ complete, code: exitCodes[code] })
})

/** Prints the result or the plan of a comparison; returns the exit code. */
import path from 'node:path'
import type { ComparisonSummary } from '../../../../schemas/comparison_summary.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import type { ComparePlan, CompareResult } from '../../../flows/compare/compare.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { exitCodes } from '../../exit_codes.ts'
import { alignColumns, colours, oneLine, textWidth, toSafeLine, wrapText } from '../../terminal/style.ts'
import { cutShortLines } from '../bench/print.ts'

/** Exit code 0; 3 when a pair has no verdict, 130 after Ctrl-C. */
export function showCompare(result: CompareResult, how: { json: boolean; interrupted: boolean }): number {
  const { folder, summary, skipped, missing, wrote } = result
  const code = how.interrupted ? exitCodes.interrupted : missing > 0 ? exitCodes.incomplete : exitCodes.done
  if (how.json) {
    const { interrupted } = how
    const line = {
      ...{ type: 'result', exit_code: code, ...(interrupted && { interrupted }) },
      ...{ folder, comparison: summary, skipped, missing, wrote },
    }
    process.stdout.write(`${jsonText(line)}\n`)
  } else process.stdout.write(`${[...cutShortLines(how), ...resultLines(result)].join('\n')}\n`)
  return code
}

function resultLines({ summary, skipped, missing, wrote }: CompareResult): string[] {
  const { bold, yellow, dim } = colours(process.stdout)
  return [
    '',
    ...(missing > 0
      ? [
          yellow(
            bold(
              `INCOMPLETE: ${formatPlural(missing, 'pair')} ${missing === 1 ? 'has' : 'have'} no verdict; the same command asks again`,
            ),
          ),
        ]
      : []),
    ...comparisonLines(summary),
    '',
    ...caseTable(summary).map((line, index) => (index === 0 ? dim(line) : line)),
    '',
    ...(skipped.length > 0
      ? [`${formatPlural(skipped.length, 'pair')} left out: a run is missing or did not complete`]
      : []),
    ...wrote.map((file) => `${dim('wrote')} ${toSafeLine(path.relative(process.cwd(), file) || file)}`),
  ]
}

function comparisonLines({ sentence, warnings }: ComparisonSummary): string[] {
  const { bold, yellow } = colours(process.stdout)
  const width = textWidth(process.stdout)
  return [
    ...wrapText(sentence, width).map((line) => bold(line)),
    ...warnings.flatMap((text) => wrapText(text, width).map((line) => yellow(line))),
  ]
}

function caseTable({ cases }: ComparisonSummary): string[] {
  const rows = cases.map((one) => [
    `${one.eval_id} ${oneLine(one.eval_name, 50)}`,
    ...[one.wins, one.losses, one.ties].map(String),
  ])
  return alignColumns([['case', 'wins', 'losses', 'ties'], ...rows], [1, 2, 3])
}

/** Prints the plan for --dry-run: pairs, questions, judge. */
export function showComparePlan({ pairing, judge, choices, done }: ComparePlan, json: boolean): void {
  const open = pairing.pairs.length - done
  const cases = new Set(pairing.pairs.map((pair) => pair.eval_id)).size
  const name = [judge.name, judge.model].filter(Boolean).join(':')
  if (json) {
    const pairs = pairing.pairs.map(({ eval_id, eval_name, number, A, B }) => {
      return { eval_id, eval_name, number, A: A.run, B: B.run }
    })
    const { a, b, skipped } = pairing
    const line = {
      type: 'plan',
      a,
      b,
      judge: name,
      pairs,
      done,
      judge_calls: { least: open * 2, most: open * 2 + cases },
      skipped,
    }
    process.stdout.write(`${jsonText(line)}\n`)
    return
  }
  const lines = [
    ...choices,
    `${pairing.a} against ${pairing.b}: ${formatPlural(pairing.pairs.length, 'pair')} of ${formatPlural(cases, 'case')}, ${done} judged already`,
    ...pairing.skipped.map((one) => `left out ${one.eval_id} ${one.eval_name} · ${one.number}: ${one.reason}`),
    `judge ${name}: ${formatPlural(open * 2, 'judgement')} (each pair in both orders)${open === 0 ? '' : ` and the criteria of up to ${formatPlural(cases, 'case')}`}`,
  ]
  process.stdout.write(`${lines.map((line) => oneLine(line, 500)).join('\n')}\n`)
}

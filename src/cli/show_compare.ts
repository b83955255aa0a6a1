/** Prints what a comparison ended with, or would ask; gives the exit code. */
import path from 'node:path'
import type { ComparisonSummary } from '../../schemas/comparison_summary.ts'
import type { ComparePlan, CompareResult } from '../flows/compare.ts'
import { plural } from '../phases/4-report/words.ts'
import { exitCodes } from './exit.ts'
import { cutShort } from './show.ts'
import { colours, columns, oneLine, safe, textWidth, wrap } from './style.ts'

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
    process.stdout.write(`${JSON.stringify(line)}\n`)
  } else process.stdout.write(`${[...cutShort(how), ...resultLines(result)].join('\n')}\n`)
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
              `INCOMPLETE: ${plural(missing, 'pair')} ${missing === 1 ? 'has' : 'have'} no verdict; the same command asks again`,
            ),
          ),
        ]
      : []),
    ...comparisonLines(summary),
    '',
    ...caseTable(summary).map((line, index) => (index === 0 ? dim(line) : line)),
    '',
    ...(skipped.length > 0 ? [`${plural(skipped.length, 'pair')} left out: a run is missing or did not complete`] : []),
    ...wrote.map((file) => `${dim('wrote')} ${safe(path.relative(process.cwd(), file) || file)}`),
  ]
}

function comparisonLines({ sentence, warnings }: ComparisonSummary): string[] {
  const { bold, yellow } = colours(process.stdout)
  const width = textWidth(process.stdout)
  return [
    ...wrap(sentence, width).map((line) => bold(line)),
    ...warnings.flatMap((text) => wrap(text, width).map((line) => yellow(line))),
  ]
}

function caseTable({ cases }: ComparisonSummary): string[] {
  const rows = cases.map((one) => [
    `${one.eval_id} ${oneLine(one.eval_name, 50)}`,
    ...[one.wins, one.losses, one.ties].map(String),
  ])
  return columns([['case', 'wins', 'losses', 'ties'], ...rows], [1, 2, 3])
}

/** What --dry-run says: pairs, questions, judge. */
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
    process.stdout.write(`${JSON.stringify(line)}\n`)
    return
  }
  const lines = [
    ...choices,
    `${pairing.a} against ${pairing.b}: ${plural(pairing.pairs.length, 'pair')} of ${plural(cases, 'case')}, ${done} judged already`,
    ...pairing.skipped.map((one) => `left out ${one.eval_id} ${one.eval_name} · ${one.number}: ${one.reason}`),
    `judge ${name}: ${plural(open * 2, 'judgement')} (each pair in both orders)${open === 0 ? '' : ` and the criteria of up to ${plural(cases, 'case')}`}`,
  ]
  process.stdout.write(`${lines.map((line) => oneLine(line, 500)).join('\n')}\n`)
}

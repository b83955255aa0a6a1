/** Prints the result or the plan of an analysis; returns the exit code. */
import path from 'node:path'
import { jsonText } from '../../base/json/json_text.ts'
import { cutShortLines } from '../../cli/commands/bench/print.ts'
import { chooseExitCode } from '../../cli/exit_codes.ts'
import { colours, oneLine, textWidth, toSafeLine, wrapText } from '../../cli/terminal/style.ts'
import { judgeName } from '../../engines/models/judge_choice.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import type { AnalyzePlan, AnalyzeResult } from './analyze/analyze.ts'

/** Exit code 0; 3 when an answer is missing, 130 after Ctrl-C. */
export function showAnalyze(result: AnalyzeResult, how: { json: boolean; interrupted: boolean }): number {
  const { folder, analyses, missing, notes } = result
  const isWhole = missing === 0 && (notes === null || !('error' in notes))
  const code = chooseExitCode({ ...how, incomplete: !isWhole })
  const { interrupted } = how
  const line = {
    ...{ type: 'result', exit_code: code, ...(interrupted && { interrupted }) },
    ...{ folder, analyses, missing, notes },
  }
  const lines = how.json ? [jsonText(line)] : [...cutShortLines(how), ...resultLines(result)]
  process.stdout.write(`${lines.join('\n')}\n`)
  return code
}

function resultLines({ analyses, missing, notes }: AnalyzeResult): string[] {
  const { bold, dim } = colours(process.stdout)
  const width = textWidth(process.stdout)
  return [
    ...missingLines(missing, 'comparison', 'analysis'),
    ...analyses.flatMap(({ eval_id, eval_name, file, analysis }) => [
      '',
      bold(oneLine(`${eval_id} ${eval_name}`, 100)),
      ...analysis.improvement_suggestions.flatMap(({ priority, category, suggestion, expected_impact }) =>
        wrapText(`- ${priority} (${category}): ${suggestion} → ${expected_impact}`, width),
      ),
      `${dim('wrote')} ${toSafeLine(path.relative(process.cwd(), file))}`,
    ]),
    ...(analyses.length === 0 && missing === 0 ? ['No comparison has a winner to analyze.'] : []),
    '',
    ...noteLines(notes),
  ]
}

/** `answer`: what each of them lacks. */
export function missingLines(missing: number, what: string, answer: string): string[] {
  if (missing === 0) return []
  const { bold, yellow } = colours(process.stdout)
  const has = missing === 1 ? 'has' : 'have'
  return [yellow(bold(`INCOMPLETE: ${formatPlural(missing, what)} ${has} no ${answer}; the same command asks again`))]
}

function noteLines(notes: AnalyzeResult['notes']): string[] {
  if (notes === null) return []
  if ('error' in notes) return [oneLine(`no notes: ${notes.error}`, 500)]
  if ('skipped' in notes) return [`The model was not asked for notes: ${notes.skipped}.`]
  return [
    `${formatPlural(notes.kept, 'note')} of the model ${notes.kept === 1 ? 'is' : 'are'} in benchmark.json; ${notes.dropped.length} dropped`,
    ...notes.dropped.map(({ text, reason }) => oneLine(`dropped: ${text} (${reason})`, 500)),
  ]
}

/** Prints the plan for --dry-run. */
export function showAnalyzePlan(
  { judge, choices, decided, done, asksNotes }: AnalyzePlan,
  how: { json: boolean },
): void {
  const comparisons = decided.map(({ case: { eval_id, eval_name }, number, winner }) => ({
    eval_id,
    eval_name,
    number,
    winner,
  }))
  const calls = decided.length - done + (asksNotes ? 1 : 0)
  const line = { type: 'plan', judge: judgeName(judge), comparisons, done, judge_calls: calls }
  const said = `${formatPlural(decided.length, 'comparison')}, ${done} analyzed already${asksNotes ? '; notes' : ''}: ${formatPlural(calls, 'question')} to ${judgeName(judge)}`
  const lines = how.json ? [jsonText(line)] : [...choices, said].map((text) => oneLine(text, 500))
  process.stdout.write(`${lines.join('\n')}\n`)
}

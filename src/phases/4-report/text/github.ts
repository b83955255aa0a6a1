/** Benchmarks for GitHub Actions: workflow commands, one annotation per line. */
import { makeVisible } from '../../../base/text/show_control_characters.ts'
import { incompleteness, leftOutCases } from '../benchmark/incomplete.ts'
import { suspiciousLine } from '../judge/suspicious_runs.ts'
import { benchmarkHeadline, fullConfidenceNotes } from './headline.ts'
import type { ReportedBenchmark } from './junit_report.ts'

/** A notice with the headline, a warning if suspicious or incomplete, an error per failed gate. No outside text can start a line. */
export function toGithub(all: readonly ReportedBenchmark[]): string[] {
  return all.flatMap(({ name, benchmark, gates }) => {
    const suspicious = suspiciousLine(benchmark)
    return [
      workflowCommand('notice', name, [benchmarkHeadline(benchmark), ...fullConfidenceNotes(benchmark)].join(' ')),
      ...(suspicious === null ? [] : [workflowCommand('warning', name, suspicious)]),
      ...[incompleteness(benchmark), leftOutCases(benchmark)].flatMap((why) =>
        why === null ? [] : workflowCommand('warning', name, why),
      ),
      ...gates
        .filter(({ passed }) => !passed)
        .map(({ gate, message }) => workflowCommand('error', name, `gate failed: ${gate}: ${message}`)),
    ]
  })
}

export function workflowCommand(level: 'notice' | 'warning' | 'error', title: string, message: string): string {
  const property = escapeCommandText(title).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${level} title=${property}::${escapeCommandText(message)}`
}

function escapeCommandText(text: string): string {
  return makeVisible(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

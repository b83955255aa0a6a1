/** What GitHub Actions shows of benchmarks: workflow commands, one annotation a line. */
import type { Reported } from './junit.ts'
import { headline, surenessAlone } from './summary_table.ts'
import { visible } from './words.ts'

/** A notice with the answer, an error for each gate that fails, a warning where it is incomplete. Nothing from outside can make a line. */
export function toGithub(all: readonly Reported[]): string[] {
  return all.flatMap(({ name, benchmark, gates }) => [
    command('notice', name, [headline(benchmark), ...surenessAlone(benchmark)].join(' ')),
    ...(benchmark.complete === true ? [] : [command('warning', name, 'incomplete: a planned run has no grade')]),
    ...gates
      .filter(({ passed }) => !passed)
      .map(({ gate, message }) => command('error', name, `gate failed: ${gate}: ${message}`)),
  ])
}

/** One workflow command: an annotation. */
export function command(level: 'notice' | 'warning' | 'error', title: string, message: string): string {
  const property = escaped(title).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${level} title=${property}::${escaped(message)}`
}

function escaped(text: string): string {
  return visible(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

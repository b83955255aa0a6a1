/** Says in words what a benchmark covers: some cases of its suite, and a baseline that is not the one that was asked for. */
import type { Benchmark, CaseRow } from '../../../../schemas/benchmark.ts'
import type { ChosenCases } from '../../../../schemas/suite.ts'
import { formatPlural } from './format.ts'

/** Up to this many ids are named; beyond it only their number. */
const mostNamed = 8

/** "only case 3 of 3 cases", "only cases 1, 3 of 5 cases", "only 12 of 50 cases". */
export function chosenText({ eval_ids, of }: ChosenCases): string {
  if (eval_ids.length > mostNamed) return `only ${eval_ids.length} of ${of} cases`
  return `only ${eval_ids.length === 1 ? 'case' : 'cases'} ${eval_ids.join(', ')} of ${of} cases`
}

/** What a reader must know about cases and baseline before the numbers; empty: nothing. */
export function coverageSentences(benchmark: Pick<Benchmark, 'chosen' | 'baseline_note' | 'cases'>): string[] {
  const { baseline_note: note } = benchmark
  const all = [
    chosenSentence(benchmark),
    quarantineSentence(benchmark.cases ?? []),
    note === undefined ? null : `${note.slice(0, 1).toUpperCase()}${note.slice(1)}.`,
  ]
  return all.filter((one) => one !== null)
}

export function quarantineSentence(cases: readonly Pick<CaseRow, 'eval_name' | 'quarantine'>[]): string | null {
  const own = cases.filter(({ quarantine }) => quarantine !== undefined)
  if (own.length === 0) return null
  const names = own.slice(0, mostNamed).map(({ eval_name }) => eval_name)
  const more = own.length > mostNamed ? `, and ${own.length - mostNamed} more` : ''
  const are = own.length === 1 ? 'is' : 'are'
  return `${formatPlural(own.length, 'quarantined case')} ${are} not in these numbers: ${names.join(', ')}${more}.`
}

/** null: the benchmark covers the whole suite, as far as is known. */
function chosenSentence({ chosen }: { chosen?: ChosenCases | undefined }): string | null {
  if (chosen === undefined) return null
  return `O${chosenText(chosen).slice(1)} of the suite ${chosen.eval_ids.length === 1 ? 'was' : 'were'} run.`
}

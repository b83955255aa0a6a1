/** Writes the notes on another tool's folder: what was left out, what was chosen, and where an older benchmark.json differs. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { committedNotes } from '../../phases/4-report/benchmark/committed_benchmark.ts'
import { mostNotes } from '../../phases/4-report/notes/limit_notes.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import type { ForeignBenchmark } from '../../store/foreign/read_foreign.ts'
import { describeContradiction } from '../../store/foreign/read_grading.ts'
import type { RunFound } from '../../store/foreign/tree.ts'

/** The notes on the folder before those on its runs, at most six in all: what does not fit is counted. */
export function addFolderNotes(made: Benchmark, found: ForeignBenchmark): string[] {
  const { arms, problems, cases } = found
  const runs = cases.flatMap((one) => one.runs)
  const remarks = [
    ...contradictionNotes(runs),
    ...(arms.note === null ? [] : [arms.note]),
    ...uncountedNotes(runs, arms),
    ...copyNotes(found.copies),
  ]
  const differences = listDifferences(made, found, runs)
  const all = [...problemNotes(problems), ...remarks, ...differences, ...made.notes]
  if (all.length <= mostNotes) return all
  const counted = [...countProblems(problems), ...remarks, ...countDifferences(differences), ...made.notes]
  return counted.slice(0, mostNotes)
}

export function countConfigurationRuns(runs: readonly { configuration: string | null }[], name: string | null): number {
  return runs.filter((run) => run.configuration === name).length
}

type Problems = ForeignBenchmark['problems']

function problemNotes(problems: Problems): string[] {
  return problems.map(({ file, message }) => `Left out: ${file}: ${withoutStop(message)}.`)
}

/** One note, with the first file; `problems` of benchmark.json has them all. */
function countProblems(problems: Problems): string[] {
  const [first] = problems
  if (first === undefined || problems.length === 1) return problemNotes(problems)
  const such = `such as ${first.file}: ${withoutStop(first.message)}`
  return [`Left out: ${formatPlural(problems.length, 'file')}, ${such}. All are in benchmark.json, under problems.`]
}

function withoutStop(message: string): string {
  return message.replace(/[.!?]*$/, '')
}

/** One note, with the first place. */
function contradictionNotes(runs: readonly RunFound[]): string[] {
  const found = runs.flatMap(({ folder, fields, result }) => {
    const text = result?.grading ? describeContradiction(fields, result.grading) : null
    return text === null ? [] : `${folder}: ${text}`
  })
  if (found.length === 0) return []
  const gradings =
    found.length === 1 ? '1 grading contradicts itself' : `${found.length} gradings contradict themselves`
  return [`${gradings}; the items count, not the summary: ${found[0]}.`]
}

/** One note on the configurations beyond the two that are compared. */
function uncountedNotes(
  runs: readonly RunFound[],
  { candidate, baseline, others }: ForeignBenchmark['arms'],
): string[] {
  if (others.length === 0) return []
  const names = others.map((name) => `${name} (${formatPlural(countConfigurationRuns(runs, name), 'run')})`)
  const subject = names.length === 1 ? 'The configuration' : 'The configurations'
  const listed = [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ')
  const verb = names.length === 1 ? 'is' : 'are'
  return [`${subject} ${listed} ${verb} excluded from every number: only ${candidate} and ${baseline} are compared.`]
}

function copyNotes(copies: number): string[] {
  if (copies === 0) return []
  return [`${formatPlural(copies, 'grading')} ${copies === 1 ? 'is' : 'are'} here twice; each run is counted once.`]
}

/** Notes on a benchmark.json that another tool wrote. */
function listDifferences(made: Benchmark, { arms, committed }: ForeignBenchmark, runs: readonly RunFound[]): string[] {
  if (committed === null || committed.ours) return []
  const names = [arms.candidate, arms.baseline].filter((name) => name !== null)
  const references = names.map((name) => {
    const graded = runs.filter((run) => run.configuration === name && run.result?.grading)
    return [name, graded.flatMap(({ reference }) => reference)] as const
  })
  return committedNotes(committed, made, Object.fromEntries(references))
}

/** One note: the first difference. */
function countDifferences(differences: readonly string[]): string[] {
  const [first] = differences
  const more = differences.length - 1
  if (first === undefined || more === 0) return [...differences]
  return [`${withoutStop(first)} (${formatPlural(more, 'more mean')} ${more === 1 ? 'differs' : 'differ'}).`]
}

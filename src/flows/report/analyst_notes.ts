/** A model's notes on a benchmark: requested once, stored as given, and checked against the numbers at each report. */
import path from 'node:path'
import { type AnalystClaim, type AnalystNote, analystNotes } from '../../../schemas/analyst_notes.ts'
import type { Benchmark, BenchmarkRun } from '../../../schemas/benchmark.ts'
import { mostNotes } from '../../phases/4-report/notes/rules/attempts.ts'
import { tryReadArtefact } from '../../store/artefacts/damage.ts'
import type { FlowContext } from '../flow_context.ts'

/** How many notes the benchmark has of the model, and why it lacks the others. */
export type AnalystNotesResult = NonNullable<Benchmark['analyst_notes']>

export const analystNotesFile = (folder: string) => path.join(folder, 'analyst_notes.json')

/** The benchmark with the model's valid notes after the rule-based ones, which are tested: at most six in all. */
export function withAnalystNotes(made: Benchmark, folder: string, context: FlowContext): Benchmark {
  const stored = tryReadArtefact(analystNotes, analystNotesFile(folder), (damage) =>
    context.emit({
      type: 'artefact_damaged',
      ...damage,
      mended: 'ignored; whetstone compare --analyze writes it again',
    }),
  )
  if (stored === null) return made
  const { kept, dropped } = chooseNotes(stored.notes, made)
  return {
    ...made,
    metadata: { ...made.metadata, analyzer_model: stored.analyzer_model },
    notes: [...made.notes, ...kept],
    analyst_notes: { kept: kept.length, dropped },
  }
}

function chooseNotes(notes: Parameters<typeof validateNote>[0][], made: Benchmark) {
  const judged = notes.map((note) => ({ note, reason: validateNote(note, made) }))
  const valid = judged.flatMap(({ note, reason }) => (reason === null ? [note] : []))
  const wrong = judged.flatMap(({ note, reason }) => (reason === null ? [] : [{ text: note.text, reason }]))
  const places = Math.max(0, mostNotes - made.notes.length)
  const more = valid.slice(places).map(({ text }) => ({ text, reason: `the benchmark has ${mostNotes} notes` }))
  const kept = valid.slice(0, places).map(({ text, runs }) => `${text} (${runs.join(', ')})`)
  return { kept, dropped: [...wrong, ...more] }
}

/** Why the note is rejected; null: it is accepted. */
export function validateNote(note: AnalystNote, { runs }: Pick<Benchmark, 'runs'>): string | null {
  if (note.runs.length === 0) return 'it names no run'
  const known = new Set(
    runs.map(({ eval_id, configuration, run_number }: BenchmarkRun) => `${eval_id}/${configuration}/run-${run_number}`),
  )
  const stray = note.runs.find((name) => !known.has(name))
  if (stray !== undefined) return `there is no run ${stray}`
  if (note.claims.length === 0) return 'it is not based on a number'
  for (const claim of note.claims) {
    const value = computeClaim(claim, runs)
    if (value === null) return `there is no data on ${describeClaim(claim)}`
    if (!isNear(claim.value, value)) return `${describeClaim(claim)} is ${roundForClaim(value)}, not ${claim.value}`
  }
  const unfounded = parseNoteNumbers(note.text).find((number) => !isSupportedByClaims(number, note))
  return unfounded === undefined ? null : `no claim gives its ${unfounded.text}`
}

/** The claim recomputed; null: no run has a value for it. */
function computeClaim(
  { metric, statistic, eval_id, configuration, expectation }: AnalystClaim,
  all: readonly BenchmarkRun[],
) {
  const runs = all.filter(
    (run) =>
      (eval_id === null || run.eval_id === eval_id) && (configuration === null || run.configuration === configuration),
  )
  const values =
    metric === 'expectation'
      ? runs.flatMap(({ expectations }) =>
          expectations.filter(({ text }) => text === expectation).map(({ passed }) => (passed ? 1 : 0)),
        )
      : runs.flatMap(({ result }) => result[metric] ?? [])
  if (values.length === 0) return null
  const sum = values.reduce((total, one) => total + one, 0)
  return { mean: sum / values.length, sum, min: Math.min(...values), max: Math.max(...values), count: values.length }[
    statistic
  ]
}

/** Within half a per cent of its size or half a hundredth, for rounding. */
function isNear(said: number, real: number): boolean {
  return Math.abs(said - real) <= Math.max(0.005, Math.abs(real) * 0.005) + 1e-9
}

interface WrittenNumber {
  text: string
  value: number
  decimals: number
}

/** Every number in the text, except parts of names. */
function parseNoteNumbers(text: string): WrittenNumber[] {
  return [...text.matchAll(/(?<![\w.-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w-])/g)].map(([found]) => {
    const plain = found.replaceAll(',', '')
    return { text: found, value: Number(plain), decimals: plain.split('.')[1]?.length ?? 0 }
  })
}

/** Supported: a claim's value, a difference of two, a share in per cent, a case, a run number, or the number of named runs. */
function isSupportedByClaims({ value, decimals }: WrittenNumber, { claims, runs }: AnalystNote): boolean {
  const values = claims.map((claim) => claim.value)
  const differences = values.flatMap((one) => values.map((other) => Math.abs(one - other)))
  const founded = [...values, ...differences].flatMap((one) => [one, one * 100])
  const names = runs.flatMap((name) => (name.match(/\d+/g) ?? []).map(Number))
  const ids = claims.flatMap(({ eval_id }) => eval_id ?? [])
  const half = 0.5 * 10 ** -decimals + 1e-9
  return [...names, ...ids, runs.length].includes(value) || founded.some((one) => Math.abs(one - value) <= half)
}

function describeClaim({ metric, statistic, eval_id, configuration }: AnalystClaim): string {
  return `${statistic} ${metric} of ${eval_id === null ? 'all cases' : `case ${eval_id}`}, ${configuration ?? 'both configurations'},`
}

function roundForClaim(value: number): number {
  return Math.round(value * 1000) / 1000
}

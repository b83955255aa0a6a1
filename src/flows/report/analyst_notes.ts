/** A model's notes on a benchmark: requested once, stored as given, and checked against the numbers at each report. */
import path from 'node:path'
import { type AnalystClaim, type AnalystNote, analystNotes } from '../../../schemas/analyst_notes.ts'
import { type Benchmark, type BenchmarkRun, benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { readJson } from '../../base/json/json.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { mostNotes } from '../../phases/4-report/notes/limit_notes.ts'
import { tryReadArtefact } from '../../store/artefacts/damage.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { writeArtefact } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import type { OpenJudge } from '../judge/open_judge.ts'

/** How many notes the benchmark has of the model, and why it lacks the others. */
export type AnalystNotesResult = NonNullable<Benchmark['analyst_notes']>

const analystNotesFile = (folder: string) => path.join(folder, 'analyst_notes.json')

export const noPlaceText = `the benchmark has ${mostNotes} notes of its own already`

/** Whether the rules leave a place for a note of the model. Rejects without a benchmark.json. */
export async function hasPlaceForNotes(folder: string): Promise<boolean> {
  return listRuleNotes(await readJson(benchmarkSchema, benchmarkPaths(folder).benchmark)).length < mostNotes
}

function listRuleNotes({ notes, analyst_notes }: Benchmark): string[] {
  return notes.slice(0, notes.length - (analyst_notes?.kept ?? 0))
}

/** Asks the model and stores the answer; null: it gave one. Rejects only when aborted, or without a benchmark.json. */
export async function writeAnalystNotes(
  folder: string,
  how: { judge: string; openJudge: OpenJudge },
  context: FlowContext,
): Promise<{ error: string } | null> {
  const before = await readJson(benchmarkSchema, benchmarkPaths(folder).benchmark)
  const { askNotes } = await import('../../phases/3-judge/analyze/ask_notes.ts')
  await using opened = await how.openJudge()
  const asked = await askNotes(
    { numbers: formatBenchmarkNumbers(before), rules: listRuleNotes(before), cwd: opened.cwd },
    opened.asking,
  )
  if (asked.status === 'error') return { error: getRedactor(context.env).text(asked.error) }
  const { notes } = getRedactor(context.env).value(asked.value)
  const analyzer_model = asked.spent.model ?? how.judge
  const made_at = context.now().toISOString()
  await writeArtefact(analystNotes, analystNotesFile(folder), { schema_version: 1, analyzer_model, made_at, notes })
  return null
}

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

/** What the model sees: the runs with their verdicts, without evidence. */
function formatBenchmarkNumbers({ runs, run_summary, cases, counts }: Benchmark): string {
  const shown = runs.map(({ eval_id, eval_name, configuration, run_number, result, expectations }) => ({
    ...{ eval_id, eval_name, configuration, run_number, result },
    expectations: expectations.map(({ text, passed }) => ({ text, passed })),
  }))
  return JSON.stringify({ counts, run_summary, cases, runs: shown })
}

/** Why the note is rejected; null: it is accepted. */
export function validateNote(note: AnalystNote, { runs }: Pick<Benchmark, 'runs'>): string | null {
  if (note.runs.length === 0) return 'it names no run'
  const known = new Set(runs.map(nameBenchmarkRun))
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

function nameBenchmarkRun({ eval_id, configuration, run_number }: BenchmarkRun): string {
  return `${eval_id}/${configuration}/run-${run_number}`
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

/** A model's notes on a benchmark: asked for once, kept as given, and held against the numbers whenever these are written. */
import path from 'node:path'
import { analystNotes } from '../../schemas/analyst_notes.ts'
import { type Benchmark, benchmark as benchmarkSchema } from '../../schemas/benchmark.ts'
import { readJson } from '../base/json.ts'
import { redactorFor } from '../base/redact.ts'
import { wrongWith } from '../phases/4-report/check_note.ts'
import { readIf } from '../store/damage.ts'
import { benchmarkPaths } from '../store/paths.ts'
import { writeArtefact } from '../store/store.ts'
import type { FlowContext } from './context.ts'
import type { OpenJudge } from './judge_opener.ts'

/** How many notes hold, and why the others were dropped. */
export type NotesKept = NonNullable<Benchmark['analyst_notes']>

const fileOf = (folder: string) => path.join(folder, 'analyst_notes.json')

/** Asks and keeps the answer. Rejects only when aborted, or without a benchmark.json. */
export async function noteBenchmark(
  folder: string,
  how: { judge: string; openJudge: OpenJudge },
  context: FlowContext,
): Promise<NotesKept | { error: string }> {
  const before = await readJson(benchmarkSchema, benchmarkPaths(folder).benchmark)
  const { askNotes } = await import('../phases/3-judge/analyze/ask_notes.ts')
  await using opened = await how.openJudge()
  const rules = before.notes.slice(0, before.notes.length - (before.analyst_notes?.kept ?? 0))
  const asked = await askNotes({ numbers: numbersOf(before), rules, cwd: opened.cwd }, opened.asking)
  if (asked.status === 'error') return { error: redactorFor(context.env).text(asked.error) }
  const { notes } = redactorFor(context.env).value(asked.value)
  const analyzer_model = asked.spent.model ?? how.judge
  const made_at = context.now().toISOString()
  await writeArtefact(analystNotes, fileOf(folder), { schema_version: 1, analyzer_model, made_at, notes })
  return heldAgainst(notes, before).counts
}

/** The benchmark with those of the model's notes that hold, after those of the rules. */
export function withAnalystNotes(made: Benchmark, folder: string, context: FlowContext): Benchmark {
  const stored = readIf(analystNotes, fileOf(folder), (damage) =>
    context.emit({ type: 'artefact_damaged', ...damage, mended: 'left out; whetstone analyze makes it anew' }),
  )
  if (stored === null) return made
  const { kept, counts } = heldAgainst(stored.notes, made)
  return {
    ...made,
    metadata: { ...made.metadata, analyzer_model: stored.analyzer_model },
    notes: [...made.notes, ...kept],
    analyst_notes: counts,
  }
}

function heldAgainst(notes: Parameters<typeof wrongWith>[0][], made: Benchmark) {
  const judged = notes.map((note) => ({ note, reason: wrongWith(note, made) }))
  const kept = judged.flatMap(({ note, reason }) => (reason === null ? [`${note.text} (${note.runs.join(', ')})`] : []))
  const dropped = judged.flatMap(({ note, reason }) => (reason === null ? [] : [{ text: note.text, reason }]))
  return { kept, counts: { kept: kept.length, dropped } }
}

/** What the model sees: the runs with their verdicts, without evidence. */
function numbersOf({ runs, run_summary, cases, counts }: Benchmark): string {
  const shown = runs.map(({ eval_id, eval_name, configuration, run_number, result, expectations }) => ({
    ...{ eval_id, eval_name, configuration, run_number, result },
    expectations: expectations.map(({ text, passed }) => ({ text, passed })),
  }))
  return JSON.stringify({ counts, run_summary, cases, runs: shown })
}

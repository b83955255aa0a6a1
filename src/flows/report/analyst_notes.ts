/** A model's notes on a benchmark: requested once, stored as given, and checked against the numbers at each report. */
import path from 'node:path'
import { analystNotes } from '../../../schemas/analyst_notes.ts'
import { type Benchmark, benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { readJson } from '../../base/json/json.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { validateNote } from '../../phases/4-report/notes/check_note.ts'
import { tryReadArtefact } from '../../store/artefacts/damage.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { writeArtefact } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import type { OpenJudge } from '../judge/open_judge.ts'

/** How many notes are valid, and why the others were dropped. */
export type AnalystNotesResult = NonNullable<Benchmark['analyst_notes']>

const analystNotesFile = (folder: string) => path.join(folder, 'analyst_notes.json')

/** Asks the model and stores the answer. Rejects only when aborted, or without a benchmark.json. */
export async function writeAnalystNotes(
  folder: string,
  how: { judge: string; openJudge: OpenJudge },
  context: FlowContext,
): Promise<AnalystNotesResult | { error: string }> {
  const before = await readJson(benchmarkSchema, benchmarkPaths(folder).benchmark)
  const { askNotes } = await import('../../phases/3-judge/analyze/ask_notes.ts')
  await using opened = await how.openJudge()
  const rules = before.notes.slice(0, before.notes.length - (before.analyst_notes?.kept ?? 0))
  const asked = await askNotes({ numbers: formatBenchmarkNumbers(before), rules, cwd: opened.cwd }, opened.asking)
  if (asked.status === 'error') return { error: getRedactor(context.env).text(asked.error) }
  const { notes } = getRedactor(context.env).value(asked.value)
  const analyzer_model = asked.spent.model ?? how.judge
  const made_at = context.now().toISOString()
  await writeArtefact(analystNotes, analystNotesFile(folder), { schema_version: 1, analyzer_model, made_at, notes })
  return verifyNotes(notes, before).counts
}

/** The benchmark with the model's valid notes after the rule-based ones. */
export function withAnalystNotes(made: Benchmark, folder: string, context: FlowContext): Benchmark {
  const stored = tryReadArtefact(analystNotes, analystNotesFile(folder), (damage) =>
    context.emit({ type: 'artefact_damaged', ...damage, mended: 'ignored; whetstone analyze writes it again' }),
  )
  if (stored === null) return made
  const { kept, counts } = verifyNotes(stored.notes, made)
  return {
    ...made,
    metadata: { ...made.metadata, analyzer_model: stored.analyzer_model },
    notes: [...made.notes, ...kept],
    analyst_notes: counts,
  }
}

function verifyNotes(notes: Parameters<typeof validateNote>[0][], made: Benchmark) {
  const judged = notes.map((note) => ({ note, reason: validateNote(note, made) }))
  const kept = judged.flatMap(({ note, reason }) => (reason === null ? [`${note.text} (${note.runs.join(', ')})`] : []))
  const dropped = judged.flatMap(({ note, reason }) => (reason === null ? [] : [{ text: note.text, reason }]))
  return { kept, counts: { kept: kept.length, dropped } }
}

/** What the model sees: the runs with their verdicts, without evidence. */
function formatBenchmarkNumbers({ runs, run_summary, cases, counts }: Benchmark): string {
  const shown = runs.map(({ eval_id, eval_name, configuration, run_number, result, expectations }) => ({
    ...{ eval_id, eval_name, configuration, run_number, result },
    expectations: expectations.map(({ text, passed }) => ({ text, passed })),
  }))
  return JSON.stringify({ counts, run_summary, cases, runs: shown })
}

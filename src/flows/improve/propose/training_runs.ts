/** Selects what a proposer sees: runs of the version it edits, on training cases only. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Grading } from '../../../../schemas/grading.ts'
import type { RunSpec } from '../../../../schemas/plan.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { runPaths } from '../../../store/paths.ts'
import { readPlan, readRun, type StoredRun } from '../../../store/store.ts'
import { readFeedbackReviews } from '../../page/data/notes.ts'
import type { ImproveSession } from '../session/session.ts'
import type { ComparedVersions } from '../session/version_benchmarks.ts'

/** Per case; failed runs first. */
const runsShown = 4
const transcriptChars = 30_000

interface SeenRun {
  met: ComparedVersions
  spec: RunSpec
  stored: StoredRun
  grading: Grading
}

export interface TrainingCase {
  one: SuiteCase
  runs: SeenRun[]
}

/** The version's newest runs on these cases; if it has none, those of the version it is compared with. */
export async function readSeenRuns(
  { met, suite }: ImproveSession,
  of: { versions: readonly string[]; cases: readonly number[] },
): Promise<TrainingCase[]> {
  const found = new Map<number, SeenRun[]>(of.cases.map((id) => [id, []]))
  for (const version of of.versions) {
    for (const one of [...met].reverse()) {
      const plan = await readPlan(one.folder)
      for (const spec of plan.runs) {
        const runs = found.get(spec.eval_id)
        if (runs === undefined || one.arms[spec.configuration] !== version) continue
        const stored = await readRun(one.folder, spec.run_id)
        if (stored?.grading) runs.push({ met: one, spec, stored, grading: stored.grading })
      }
    }
    if ([...found.values()].every((runs) => runs.length > 0)) break
  }
  const cases = suite.cases.filter(({ eval_id }) => found.has(eval_id))
  return cases.map((one) => ({ one, runs: sortWorstFirst(found.get(one.eval_id) ?? []).slice(0, runsShown) }))
}

/** Failed runs first, then passed ones; shows both kinds if both exist. */
function sortWorstFirst(runs: readonly SeenRun[]): SeenRun[] {
  const failed = runs.filter(({ grading }) => grading.summary.failed > 0)
  const passed = runs.filter(({ grading }) => grading.summary.failed === 0)
  return [...failed.slice(0, runsShown - Math.min(1, passed.length)), ...passed, ...failed.slice(runsShown - 1)]
}

/** Writes them below `folder`: a summary, and for each case a folder with one folder for each run. */
export async function writeTraining(seen: readonly TrainingCase[], folder: string): Promise<void> {
  const lines = ['# Training cases', '']
  for (const { one, runs } of seen) {
    const place = path.join(folder, `case-${one.eval_id}`)
    await mkdir(place, { recursive: true })
    await writeFile(path.join(place, 'prompt.md'), `${one.prompt}\n`)
    lines.push(`## case-${one.eval_id}: ${one.eval_name}`, '')
    for (const [at, run] of runs.entries()) {
      const name = `run-${at + 1}`
      lines.push(`- ${name}: ${run.grading.summary.passed} of ${run.grading.summary.total} met; ${failedText(run)}`)
      await writeRun(run, path.join(place, name))
    }
    await copyAnalysis(runs, place)
    lines.push('')
  }
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'summary.md'), lines.join('\n'))
}

async function writeRun({ met, spec, stored, grading }: SeenRun, place: string): Promise<void> {
  await mkdir(place, { recursive: true })
  const transcript = await readFile(runPaths(met.folder, spec.run_id).transcript, 'utf8').catch(() => '')
  await writeFile(path.join(place, 'transcript.md'), cutMiddle(transcript))
  const verdicts = grading.expectations.map(({ text, passed, evidence }) => ({ text, passed, evidence }))
  const { status, skill } = stored.record
  await writeFile(path.join(place, 'verdicts.json'), `${jsonText({ status, skill_read: skill.read, verdicts }, 2)}\n`)
}

/** Copies the analysis of why one version won on this case, if there is one. */
async function copyAnalysis(runs: readonly SeenRun[], place: string): Promise<void> {
  for (const { met, spec } of runs) {
    const folder = path.join(met.folder, path.dirname(path.dirname(spec.run_id)))
    for (const name of ['analysis.json', 'comparison-1.json']) {
      if (await pathExists(path.join(folder, name))) await copyFile(path.join(folder, name), path.join(place, name))
    }
  }
}

function cutMiddle(text: string): string {
  if (text.length <= transcriptChars) return text
  const half = transcriptChars / 2
  return `${text.slice(0, half)}\n\n[… ${text.length - transcriptChars} characters left out …]\n\n${text.slice(-half)}`
}

function failedText({ grading, stored }: SeenRun): string {
  const failed = grading.expectations.filter(({ passed }) => !passed)
  if (failed.length === 0) return 'passed'
  const unread = stored.record.skill.read === false ? 'the skill was not read; ' : ''
  return `${unread}failed: ${failed.map(({ text }) => text.replace(/\s+/g, ' ').slice(0, 160)).join(' | ')}`
}

/** What people wrote in feedback.json about these cases' runs. */
export function readCaseFeedback({ met }: Pick<ImproveSession, 'met'>, cases: readonly number[]): string[] {
  const isOf = (runId: string) => cases.some((id) => runId.startsWith(`eval-${id}-`))
  return met.flatMap(({ folder }) => {
    return readFeedbackReviews(path.join(folder, 'feedback.json'))
      .filter(({ run_id, feedback }) => isOf(run_id) && feedback.trim() !== '')
      .map(({ run_id, feedback }) => `${run_id}: ${feedback.replace(/\s+/g, ' ').slice(0, 500)}`)
  })
}

/** Failures on these cases by kind, most frequent first. */
export function classifyFailures(seen: readonly TrainingCase[]): { kind: string; cases: number[]; runs: number }[] {
  const found = new Map<string, { cases: Set<number>; runs: number }>()
  for (const { one, runs } of seen) {
    for (const run of runs) {
      const kind = classifyFailedRun(run)
      if (kind === null) continue
      const own = found.get(kind) ?? { cases: new Set(), runs: 0 }
      own.cases.add(one.eval_id)
      found.set(kind, { cases: own.cases, runs: own.runs + 1 })
    }
  }
  return [...found]
    .map(([kind, { cases, runs }]) => ({ kind, cases: [...cases].sort((a, b) => a - b), runs }))
    .sort((a, b) => b.runs - a.runs)
}

function classifyFailedRun({ stored: { record, metrics }, grading }: SeenRun): string | null {
  if (grading.summary.failed === 0) return null
  if (record.status === 'timed_out') return 'timed out'
  if (record.skill.read === false) return 'the skill was not read'
  if ((metrics?.errors_encountered ?? 0) > 0) return 'a tool failed'
  if (
    record.outputs.files.length === 0 &&
    grading.expectations.some(({ decided_by }) => decided_by?.startsWith('check:file'))
  ) {
    return 'no file was written'
  }
  return 'the outcome was wrong'
}

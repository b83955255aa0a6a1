/** Selects and writes what a proposer sees: runs of the version it edits on training cases, and of mixes of earlier rounds, with the effect of each edit. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Grading } from '../../../../schemas/grading.ts'
import type { ProposedEdit } from '../../../../schemas/history/round.ts'
import type { History } from '../../../../schemas/history.ts'
import type { RunSpec } from '../../../../schemas/plan.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { transcriptEvent } from '../../../../schemas/transcript.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { tryParseJson } from '../../../base/json/json.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { formatCount, formatPoints } from '../../../phases/4-report/text/format.ts'
import type { FailedCase } from '../../../phases/5-improve/search/group_failures.ts'
import { improvePaths, runPaths } from '../../../store/paths.ts'
import { readPlan, readRun, type StoredRun } from '../../../store/store.ts'
import { readRunUsage } from '../../history/forecast.ts'
import { readFeedbackNotes } from '../../page/data/notes.ts'
import type { ImproveSession } from '../session/session.ts'

/** Per case. */
const runsShown = 4

interface SeenRun {
  /** Of the benchmark, absolute. */
  folder: string
  spec: RunSpec
  stored: StoredRun
  grading: Grading
  /** Whether its version is the one to be edited; else it is a mix of an earlier round or an older version. */
  isParent: boolean
}

export interface TrainingCase {
  one: SuiteCase
  runs: SeenRun[]
}

/** Runs of the version first, newest first; for each case failed and passed ones if both exist. */
export async function readSeenRuns(
  { seen, suite, split, workspace }: ImproveSession,
  version: string,
): Promise<TrainingCase[]> {
  const own = improvePaths(workspace).version(version)
  const found = new Map<number, SeenRun[]>(split.train.map((id) => [id, []]))
  for (const folder of [...seen].reverse()) {
    for (const spec of (await readPlan(folder)).runs) {
      const stored = await readRun(folder, spec.run_id)
      if (!stored?.grading) continue
      const isParent = spec.skill !== null && path.resolve(spec.skill.path) === path.resolve(own)
      found.get(spec.eval_id)?.push({ folder, spec, stored, grading: stored.grading, isParent })
    }
  }
  const cases = suite.cases.filter(({ eval_id }) => found.has(eval_id))
  return cases.map((one) => ({ one, runs: chooseRuns(found.get(one.eval_id) ?? []) }))
}

/** The version's own runs before others; at least one run of each kind, failed and passed, if there is one. */
function chooseRuns(all: readonly SeenRun[]): SeenRun[] {
  const runs = all.toSorted((a, b) => Number(b.isParent) - Number(a.isParent))
  const failed = runs.filter(isFailed)
  const passed = runs.filter((run) => !isFailed(run))
  const shownPassed = passed.slice(0, Math.max(1, runsShown - failed.length))
  return [...failed.slice(0, runsShown - shownPassed.length), ...shownPassed]
}

function isFailed({ grading }: SeenRun): boolean {
  return grading.summary.failed > 0
}

/** The training cases whose shown runs of the version failed, and how. */
export function listFailures(seen: readonly TrainingCase[]): FailedCase[] {
  return seen.flatMap(({ one, runs }) => {
    const run = runs.find((shown) => shown.isParent && isFailed(shown))
    const kind = run === undefined ? null : classifyFailedRun(run)
    if (run === undefined || kind === null) return []
    const failed = run.grading.expectations.filter(({ passed }) => !passed).map(({ text }) => text)
    return [{ evalId: one.eval_id, kind, failed }]
  })
}

/** The training cases whose shown runs of the version all passed. */
export function listPassing(seen: readonly TrainingCase[]): string[] {
  const own = seen.map(({ one, runs }) => ({ one, runs: runs.filter(({ isParent }) => isParent) }))
  return own.filter(({ runs }) => runs.length > 0 && !runs.some(isFailed)).map(({ one }) => `case-${one.eval_id}`)
}

/** What people wrote in feedback.json about runs of training cases. */
export function readCaseFeedback({ seen, split }: Pick<ImproveSession, 'seen' | 'split'>): string[] {
  const isSeen = (runId: string) => split.train.some((id) => runId.startsWith(`eval-${id}-`))
  return seen.flatMap((folder) =>
    readFeedbackNotes(path.join(folder, 'feedback.json'))
      .reviews.filter(({ run_id, feedback }) => isSeen(run_id) && feedback.trim() !== '')
      .map(({ run_id, feedback }) => `${run_id}: ${feedback.replace(/\s+/g, ' ').slice(0, 500)}`),
  )
}

/** Failures on these cases by kind, most frequent first. */
export function classifyFailures(seen: readonly TrainingCase[]): { kind: string; cases: number[]; runs: number }[] {
  const found = new Map<string, { cases: Set<number>; runs: number }>()
  for (const { one, runs } of seen) {
    for (const run of runs.filter(({ isParent }) => isParent)) {
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

const most = 40
const lineChars = 400

/** One line for each edit that is not in the version so far. */
export function describeDropped({ rounds = [] }: Pick<History, 'rounds'>): string[] {
  const dropped = listEdits(rounds).filter(({ kept, refused }) => !kept && refused?.rule !== 'overlap')
  return dropped.slice(-most).map((edit) => `${edit.summary}: ${resultText(edit)}`.slice(0, lineChars))
}

/** Markdown: summary, effect, effect per training case and diff of each; null: no edit was tried yet. */
function describeEarlierEdits({ rounds = [] }: Pick<History, 'rounds'>): string | null {
  const edits = listEdits(rounds).slice(-most)
  if (edits.length === 0) return null
  const parts = edits.flatMap((edit) => [
    `## Edit ${edit.id}: ${edit.summary}`,
    '',
    `${edit.kept ? 'Kept' : 'Not kept'}: ${resultText(edit)}.`,
    ...casesText(edit),
    '',
    ...(edit.refused === undefined ? ['```diff', edit.diff, '```', ''] : []),
  ])
  return ['# Edits of earlier rounds', '', ...parts].join('\n')
}

function listEdits(rounds: NonNullable<History['rounds']>): ProposedEdit[] {
  return rounds.flatMap(({ proposals }) => proposals.flatMap(({ edits }) => edits))
}

function resultText({ refused, effect, runs_with }: ProposedEdit): string {
  if (refused?.rule === 'leakage') return 'refused: it contained text of tasks that judge the skill'
  if (refused?.rule === 'games_judge') return 'refused: it addressed the judge'
  if (refused !== undefined) return `refused (${refused.rule}): ${refused.reason}`
  if (effect === null) return 'it did not run'
  return `${formatPoints(effect)} on training cases in ${runs_with} runs with it`
}

function casesText({ cases }: ProposedEdit): string[] {
  const percent = (rate: number | null) => (rate === null ? '–' : `${Math.round(100 * rate)}%`)
  const known = cases.filter((one) => one.with !== null && one.without !== null)
  if (known.length === 0) return []
  return [
    known.map((one) => `case-${one.eval_id}: ${percent(one.with)} with, ${percent(one.without)} without`).join('; '),
  ]
}

const transcriptChars = 30_000
const callsShown = 12
const callChars = 300

/** `folder`: absolute, created if missing. */
export async function writeTraining(seen: readonly TrainingCase[], folder: string, history: History): Promise<void> {
  await mkdir(folder, { recursive: true })
  const lines = ['# Training cases', '']
  for (const { one, runs } of seen) {
    const place = path.join(folder, `case-${one.eval_id}`)
    await mkdir(place, { recursive: true })
    await writeFile(path.join(place, 'prompt.md'), `${one.prompt}\n`)
    lines.push(`## case-${one.eval_id}: ${one.eval_name}`, '')
    for (const [at, run] of runs.entries()) {
      const name = `run-${at + 1}-${isFailed(run) ? 'failed' : 'passed'}`
      const { passed, total } = run.grading.summary
      const version = run.isParent ? '' : ' (another version of the skill)'
      lines.push(`- ${name}${version}: ${passed} of ${total} passed${tokensText(run)}; ${failedText(run)}`)
      await writeRun(run, path.join(place, name))
    }
    if (runs.some(isFailed) && !runs.every(isFailed))
      lines.push('- compare a failed run with a passed one of this case')
    await copyAnalysis(runs, place)
    lines.push('')
  }
  await writeFile(path.join(folder, 'summary.md'), lines.join('\n'))
  const earlier = describeEarlierEdits(history)
  if (earlier !== null) await writeFile(path.join(folder, 'earlier_edits.md'), earlier)
}

/** For a proposer without tools: the failed runs of the version with their answers, so many that its prompt stays short. */
export function describeFailedRuns(seen: readonly TrainingCase[]): string {
  const failed = seen.flatMap(({ one, runs }) => {
    const run = runs.find((shown) => shown.isParent && isFailed(shown))
    return run === undefined ? [] : [{ one, run }]
  })
  const cut = (text: string) => (text.length <= answerChars ? text : `${text.slice(0, answerChars)} […]`)
  return failed
    .slice(0, answersShown)
    .map(({ one, run }) => {
      const answer = cut(run.stored.record.final_response.trim())
      return `## Task case-${one.eval_id}\n\n${cut(one.prompt)}\n\nAnswer:\n\n${answer}\n\nJudged: ${failedText(run)}\n`
    })
    .join('\n')
}

const answersShown = 6
const answerChars = 600

async function writeRun({ folder, spec, stored, grading }: SeenRun, place: string): Promise<void> {
  await mkdir(place, { recursive: true })
  const paths = runPaths(folder, spec.run_id)
  const transcript = await readFile(paths.transcript, 'utf8').catch(() => '')
  await writeFile(path.join(place, 'transcript.md'), cutMiddle(transcript))
  const verdicts = grading.expectations.map(({ text, passed, evidence }) => ({ text, passed, evidence }))
  const { status, skill } = stored.record
  const skill_calls = await listSkillCalls(path.join(paths.folder, 'transcript.jsonl'))
  const shown = { status, skill_read: skill.read, skill_calls, verdicts }
  await writeFile(path.join(place, 'verdicts.json'), `${jsonText(shown, 2)}\n`)
}

/** The tool calls that read SKILL.md or another part of the skill, such as `Read {"file_path": "…/SKILL.md", "limit": 40}`. */
async function listSkillCalls(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  const calls = lines.flatMap((line) => {
    if (!line.includes('"tool_call"')) return []
    const event = transcriptEvent.safeParse(tryParseJson(line))
    if (!event.success || event.data.type !== 'tool_call') return []
    const input = jsonText(event.data.input)
    return /SKILL\.md|(?:scripts|references|assets)\//.test(input)
      ? [`${event.data.name} ${input}`.slice(0, callChars)]
      : []
  })
  return calls.slice(0, callsShown)
}

/** Copies the analysis of why one version won on this case, if there is one. */
async function copyAnalysis(runs: readonly SeenRun[], place: string): Promise<void> {
  for (const { folder, spec } of runs) {
    const own = path.join(folder, path.dirname(path.dirname(spec.run_id)))
    for (const name of ['analysis.json', 'comparison-1.json']) {
      if (await pathExists(path.join(own, name))) await copyFile(path.join(own, name), path.join(place, name))
    }
  }
}

function cutMiddle(text: string): string {
  if (text.length <= transcriptChars) return text
  const half = transcriptChars / 2
  return `${text.slice(0, half)}\n\n[… ${text.length - transcriptChars} characters left out …]\n\n${text.slice(-half)}`
}

function tokensText({ stored }: SeenRun): string {
  const { tokens } = readRunUsage(stored.record)
  return tokens === null ? '' : `, ${formatCount(tokens)} tokens`
}

function failedText({ grading, stored }: SeenRun): string {
  const failed = grading.expectations.filter(({ passed }) => !passed)
  if (failed.length === 0) return 'passed'
  const unread = stored.record.skill.read === false ? 'the skill was not read; ' : ''
  return `${unread}failed: ${failed.map(({ text }) => text.replace(/\s+/g, ' ').slice(0, 160)).join(' | ')}`
}

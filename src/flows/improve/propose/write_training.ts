/** Writes what a proposer reads: a summary, the runs of each training case, and the edits of earlier rounds. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { History } from '../../../../schemas/history.ts'
import { transcriptEvent } from '../../../../schemas/transcript.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { formatCount } from '../../../phases/4-report/text/format.ts'
import { runPaths } from '../../../store/paths.ts'
import { readRunUsage } from '../../history/forecast.ts'
import { describeEarlierEdits, isFailed, type SeenRun, type TrainingCase } from './training_runs.ts'

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
    const event = transcriptEvent.safeParse(parseLine(line))
    if (!event.success || event.data.type !== 'tool_call') return []
    const input = jsonText(event.data.input)
    return /SKILL\.md|(?:scripts|references|assets)\//.test(input)
      ? [`${event.data.name} ${input}`.slice(0, callChars)]
      : []
  })
  return calls.slice(0, callsShown)
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
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

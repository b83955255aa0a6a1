/** Writes a benchmark in the agentskills.io dialect into a folder of its own: gradings, timings, outputs, feedback. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { feedback as feedbackSchema } from '../../schemas/feedback.ts'
import { writeAtomic } from '../base/durable.ts'
import { UserError } from '../base/error.ts'
import { copyWalk, exists, walk } from '../base/files.ts'
import { readJson } from '../base/json.ts'
import { type AgentskillsFiles, toAgentskills } from '../phases/4-report/agentskills.ts'
import { runKey } from './run_folders.ts'
import type { Summarized } from './summarize.ts'

/** Throws UserError where the target holds something, or lies in the benchmark (its copies would be found as runs). */
export async function checkTarget(benchmark: string, target: string): Promise<void> {
  const inside = path.relative(benchmark, target)
  if (inside === '' || !(inside.startsWith('..') || path.isAbsolute(inside))) {
    throw new UserError(`--output ${target}: lies in the benchmark itself`, 'give a folder outside of it')
  }
  if (!(await exists(target))) return
  const names = await readdir(target).catch(() => null)
  if (names === null) throw new UserError(`--output ${target}: not a folder that can be read`, 'give a new folder')
  if (names.length > 0) throw new UserError(`--output ${target}: not empty`, 'give a new or an empty folder')
}

/** The target must have passed checkTarget. */
export async function writeAgentskills({ folder, benchmark, folders }: Summarized, target: string): Promise<void> {
  const made = toAgentskills(benchmark)
  for (const [file, value] of made.files) await writeJson(path.join(target, file), value)
  for (const { run, folder: to } of made.runs) {
    const outputs = path.join(folders.get(runKey(run)) ?? '', 'outputs')
    if (!folders.has(runKey(run)) || !(await exists(outputs))) continue
    const { files } = await walk(outputs, { unreadable: 'leave_out', skip: (name) => ours.includes(name) })
    await copyWalk(files, path.join(target, to, 'outputs'))
  }
  const said = await feedbackOf(folder)
  if (said.length > 0) await writeJson(path.join(target, 'feedback.json'), byCase(said, made, { folder, folders }))
}

/** Files among the outputs that no agent wrote. */
const ours = ['metrics.json', 'grading.json', 'timing.json']

function writeJson(file: string, value: unknown): Promise<void> {
  return writeAtomic(file, `${JSON.stringify(value, null, 2)}\n`)
}

interface Said {
  about: string
  text: string
}

/** What a person wrote: skill-creator's list of reviews, or the flat map of the guide. Empty where there is none. */
async function feedbackOf(folder: string): Promise<Said[]> {
  const file = path.join(folder, 'feedback.json')
  if (!(await exists(file))) return []
  const found = await readJson(z.union([feedbackSchema, z.record(z.string(), z.string())]), file)
  const listed = feedbackSchema.safeParse(found)
  const all = listed.success
    ? listed.data.reviews.map((review) => ({ about: review.run_id, text: review.feedback }))
    : Object.entries(found).map(([about, text]) => ({ about, text: String(text) }))
  return all.filter(({ text }) => text.trim() !== '')
}

/** By the case's new folder, several texts on lines of their own; what fits no run keeps its own name. */
function byCase(
  said: readonly Said[],
  made: AgentskillsFiles,
  { folder, folders }: Pick<Summarized, 'folder' | 'folders'>,
): Record<string, string> {
  const idOf = (run: AgentskillsFiles['runs'][number]['run']) =>
    path.relative(folder, folders.get(runKey(run)) ?? '').replaceAll(/[\\/]/g, '-')
  const out = new Map<string, string[]>()
  for (const { about, text } of said) {
    const place = made.runs.find(({ run, caseFolder }) => caseFolder === about || idOf(run) === about)
    const key = place?.caseFolder ?? about
    out.set(key, [...(out.get(key) ?? []), text])
  }
  return Object.fromEntries([...out].map(([key, texts]) => [key, texts.join('\n')]))
}

/** Writes a benchmark in the agentskills.io dialect into a folder of its own: gradings, timings, outputs, feedback. */
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { nameBeside } from '../base/beside.ts'
import { writeAtomic } from '../base/durable.ts'
import { UserError } from '../base/error.ts'
import { copyWalk, exists, walk } from '../base/files.ts'
import { type AgentskillsFiles, toAgentskills } from '../phases/4-report/agentskills.ts'
import { readNotes } from './page/notes.ts'
import { runKey } from './run_folders.ts'
import type { Summarized } from './summarize.ts'

/** Throws UserError where the target holds something, or lies in the benchmark (its copies would be found as runs). */
export async function checkTarget(benchmark: string, target: string): Promise<void> {
  const inside = path.relative(benchmark, target)
  if (inside === '' || !(inside.startsWith('..') || path.isAbsolute(inside))) {
    throw new UserError(`--output ${target}: lies in the benchmark itself`, 'give a folder outside of it')
  }
  if (!(await exists(target))) {
    const isLink = await lstat(target).then(
      () => true,
      () => false,
    )
    if (isLink) throw new UserError(`--output ${target}: a link that leads nowhere`, 'give a new folder')
    return
  }
  const names = await readdir(target).catch(() => null)
  if (names === null) throw new UserError(`--output ${target}: not a folder that can be read`, 'give a new folder')
  if (names.length > 0) throw new UserError(`--output ${target}: not empty`, 'give a new or an empty folder')
}

/** The target must have passed checkTarget. It gets all of it or, where that fails, nothing. */
export async function writeAgentskills(made: Summarized, target: string): Promise<void> {
  // one that is there may be mounted: what is made beside it could not be moved into it
  const isThere = await exists(target)
  const partial = nameBeside(isThere ? path.join(target, 'partial') : target)
  try {
    await mkdir(partial, { recursive: true })
    await writeInto(made, partial)
    if (!isThere) return await rename(partial, target)
    await moveAll(partial, target)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

/** All that lies in a folder into another, benchmark.json last; where one can't be moved, those before it are taken away again. */
async function moveAll(from: string, to: string): Promise<void> {
  const last = 'benchmark.json'
  const names = (await readdir(from)).sort((a, b) => Number(a === last) - Number(b === last))
  const moved: string[] = []
  try {
    for (const name of names) {
      await rename(path.join(from, name), path.join(to, name))
      moved.push(name)
    }
  } catch (error) {
    for (const name of moved) await rm(path.join(to, name), { recursive: true, force: true })
    throw error
  }
}

async function writeInto({ folder, benchmark, folders }: Summarized, target: string): Promise<void> {
  const made = toAgentskills(benchmark)
  for (const [file, value] of made.files) await writeJson(path.join(target, file), value)
  for (const { run, folder: to } of made.runs) {
    const outputs = path.join(folders.get(runKey(run)) ?? '', 'outputs')
    if (!folders.has(runKey(run)) || !(await exists(outputs))) continue
    const { files } = await walk(outputs, { unreadable: 'leave_out', skip: (name) => ours.includes(name) })
    await copyWalk(files, path.join(target, to, 'outputs'))
  }
  const said = feedbackOf(folder)
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

/** What a person wrote: skill-creator's list of reviews, or the flat map of the guide; what of it can be read. Empty where there is none. */
function feedbackOf(folder: string): Said[] {
  const all = readNotes(path.join(folder, 'feedback.json')).reviews
  return all.map(({ run_id: about, feedback: text }) => ({ about, text })).filter(({ text }) => text.trim() !== '')
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

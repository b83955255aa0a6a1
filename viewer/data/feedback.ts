/** Notes on runs: those that came with the page, those of this reader, and where they are kept. */
import { useEffect, useState } from 'preact/hooks'
import type { PageNote } from '../../schemas/page.ts'
import type { Model, Run } from './model.ts'
import { download, isServed, post } from './out.ts'

/** skill-creator's name of a run: its folder with / as -. */
export function noteOf(run: Run): string {
  return (run.folder || `eval-${run.case.eval_id}/${run.arm}/run-${run.number}`).replaceAll('/', '-')
}

/** Of a whole case: its folder, as agentskills.io names it too. */
export function noteOfCase(model: Model, caseIndex: number): string {
  const [first] = model.ofCase(caseIndex).map((index) => model.run(index))
  const folder = first === undefined ? '' : (first.folder.split(`/${first.arm}`)[0] ?? '')
  return (folder || `eval-${model.page.cases[caseIndex]?.eval_id}`).replaceAll('/', '-')
}

/** What was said in the iteration before; null: nothing. */
export function previousNote({ page }: Model, id: string): string | null {
  return page.previous.find((one) => one.run_id === id)?.feedback || null
}

const notes = new Map<string, PageNote>()
const listeners = new Set<() => void>()
const shared = { ready: false, state: '' }

interface Feedback {
  notes: ReadonlyMap<string, PageNote>
  write(id: string, text: string): void
  state: string
}

export function useFeedback(model: Model): Feedback {
  const [, redraw] = useState(0)
  useEffect(() => {
    const changed = () => redraw((number) => number + 1)
    listeners.add(changed)
    return () => void listeners.delete(changed)
  }, [])
  if (!shared.ready) {
    shared.ready = true
    for (const one of [...model.page.feedback, ...drafts(model)]) if (isNewer(one)) notes.set(one.run_id, one)
  }
  return { notes, write: (id, text) => write(model, id, text), state: shared.state }
}

/** What was kept in the browser may be older than what was saved elsewhere since. */
function isNewer({ run_id, timestamp }: PageNote): boolean {
  const before = Date.parse(notes.get(run_id)?.timestamp ?? '')
  return Number.isNaN(before) || !(Date.parse(timestamp) < before)
}

function write(model: Model, id: string, text: string): void {
  notes.set(id, { run_id: id, feedback: text, timestamp: new Date().toISOString() })
  keep(model)
  say(isServed ? 'Saving…' : 'Kept in this browser; download it to use it.')
  if (!isServed) return
  unsent.add(id)
  schedule()
}

const timer = { id: 0 }
/** Written here and not saved yet: what other pages wrote or emptied since is theirs to say. */
const unsent = new Set<string>()

function schedule(): void {
  clearTimeout(timer.id)
  timer.id = setTimeout(() => {
    const sent = [...unsent].flatMap((id) => notes.get(id) ?? [])
    post('feedback', fileOf(sent)).then((problem) => {
      if (problem === null) for (const one of sent) if (notes.get(one.run_id) === one) unsent.delete(one.run_id)
      say(problem ?? 'Saved.')
    })
  }, 300)
}

function say(text: string): void {
  shared.state = text
  for (const listener of listeners) listener()
}

/** skill-creator's feedback.json. */
function fileOf(reviews: readonly PageNote[]): string {
  return `${JSON.stringify({ reviews, status: 'complete' }, null, 2)}\n`
}

/** All notes that say something. */
export function saveFeedback(): void {
  download('feedback.json', fileOf([...notes.values()].filter(({ feedback }) => feedback.trim() !== '')))
  say('Downloaded: put it into the benchmark folder.')
}

function storageKey({ page }: Model): string {
  const { skill_name, timestamp } = page.benchmark.metadata
  return `whetstone-notes:${skill_name}:${timestamp}`
}

function keep(model: Model): void {
  try {
    localStorage.setItem(storageKey(model), JSON.stringify([...notes.values()]))
  } catch {
    // a browser that keeps nothing for files: the notes last as long as the page
  }
}

function drafts(model: Model): PageNote[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(storageKey(model)) ?? '[]')
    return Array.isArray(found) ? found.filter(isNote) : []
  } catch {
    return []
  }
}

function isNote(value: unknown): value is PageNote {
  return typeof value === 'object' && value !== null && 'run_id' in value && 'feedback' in value
}

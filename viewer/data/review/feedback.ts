/** Notes on runs: those in the page, those of this reader, and how they are saved. */
import type { PageNote } from '../../../schemas/page.ts'
import { onKept, onLost } from '../live_updates.ts'
import type { Model, Run } from '../model.ts'
import { parseVisible } from '../unpack.ts'
import { keepInBrowser, readFromBrowser, Status } from './save_status.ts'
import { download, isServed, post, unsavedNotice } from './send_or_save.ts'

/** skill-creator's id of a run: its folder, with / replaced by -. */
export function noteId(run: Run): string {
  return (run.folder || `eval-${run.case.eval_id}/${run.arm}/run-${run.number}`).replaceAll('/', '-')
}

/** The id of a whole case: its folder, as agentskills.io names it too. */
export function caseNoteId(model: Model, caseIndex: number): string {
  const [first] = model.ofCase(caseIndex).map((index) => model.run(index))
  return (first && ownCaseNoteId(first)) || `eval-${model.page.cases[caseIndex]?.eval_id}`
}

/** The id of a run's case, from the run's folder; on a page of two benchmarks each has its own. Empty: not known. */
export function ownCaseNoteId({ folder, arm }: Run): string {
  const names = [arm, arm.replace(/^[AB]_/, '')]
  const at = Math.max(...names.map((name) => folder.lastIndexOf(`/${name}`)))
  return at < 0 ? '' : folder.slice(0, at).replaceAll('/', '-')
}

/** The note of the previous iteration; null: none. */
export function previousNote({ page }: Model, id: string): string | null {
  return page.previous.find((one) => one.run_id === id)?.feedback || null
}

const notes = new Map<string, PageNote>()
const status = new Status()
const shared: { ready: boolean; shown?: Model } = { ready: false }

interface Feedback {
  notes: ReadonlyMap<string, PageNote>
  write(id: string, text: string): void
  state: string
}

export function useFeedback(model: Model): Feedback {
  status.useRedraw()
  if (!shared.ready) start(model)
  if (shared.shown !== model) merge(model.page.feedback)
  shared.shown = model
  return { notes, write: (id, text) => write(model, id, text), state: status.text }
}

function start(model: Model): void {
  shared.ready = true
  merge(model.page.feedback)
  for (const one of readFromBrowser('notes', model, isNote)) {
    if (!isNewer(one)) continue
    notes.set(one.run_id, one)
    if (isServed) unsentIds.add(one.run_id)
  }
  if (!isServed) return
  const send = () => sendUnsent(model)
  if (unsentIds.size > 0) send()
  onLost((lost) => lost || unsentIds.size === 0 || send())
  addEventListener('pagehide', () => unsentIds.size > 0 && post('feedback', feedbackJson(unsentNotes()), true))
  onKept((path, body) => path === '/feedback' && mergeSaved(body))
}

/** Adds notes that another page saved. Unsaved notes of this page stay. */
function mergeSaved(body: string): void {
  const { reviews }: { reviews: PageNote[] } = parseVisible(body)
  merge(reviews)
  status.say(status.text)
}

function merge(found: readonly PageNote[]): void {
  for (const one of found) if (!unsentIds.has(one.run_id) && isNewer(one)) notes.set(one.run_id, one)
}

/** A note in the browser's storage may be older than one saved elsewhere. */
function isNewer({ run_id, timestamp }: PageNote): boolean {
  const before = Date.parse(notes.get(run_id)?.timestamp ?? '')
  return Number.isNaN(before) || !(Date.parse(timestamp) < before)
}

function write(model: Model, id: string, text: string): void {
  notes.set(id, { run_id: id, feedback: text, timestamp: new Date().toISOString() })
  if (isServed) unsentIds.add(id)
  keep(model)
  status.say(isServed ? 'Saving…' : 'Kept in this browser; download it to use it.')
  if (!isServed) return
  clearTimeout(timer.id)
  timer.id = setTimeout(() => sendUnsent(model), 300)
}

const timer = { id: 0 }
/** Written here and not saved yet. Only these are sent, so that notes of other pages are not overwritten. */
const unsentIds = new Set<string>()

function unsentNotes(): PageNote[] {
  return [...unsentIds].flatMap((id) => notes.get(id) ?? [])
}

function sendUnsent(model: Model): void {
  const sent = unsentNotes()
  post('feedback', feedbackJson(sent)).then((problem) => {
    if (problem === null) for (const one of sent) if (notes.get(one.run_id) === one) unsentIds.delete(one.run_id)
    keep(model)
    status.say(problem === null ? 'Saved.' : unsavedNotice(problem))
  })
}

/** The format of skill-creator's feedback.json. */
function feedbackJson(reviews: readonly PageNote[]): string {
  return `${JSON.stringify({ reviews, status: 'complete' }, null, 2)}\n`
}

/** Downloads all notes with text. */
export function saveFeedback(): void {
  download('feedback.json', feedbackJson([...notes.values()].filter(({ feedback }) => feedback.trim() !== '')))
  status.say('Downloaded: put it into the benchmark folder.')
}

/** A served page keeps only unsaved notes: the server has the others. */
function keep(model: Model): void {
  keepInBrowser('notes', model, isServed ? unsentNotes() : [...notes.values()])
}

function isNote(value: unknown): value is PageNote {
  return typeof value === 'object' && value !== null && 'run_id' in value && 'feedback' in value
}

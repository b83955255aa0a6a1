/** Notes on runs: those that came with the page, those of this reader, and where they are kept. */
import type { PageNote } from '../../schemas/page.ts'
import { onKept, onLost } from './live.ts'
import type { Model, Run } from './model.ts'
import { download, isServed, keptMeanwhile, post } from './out.ts'
import { keepInBrowser, keptInBrowser, Status } from './said.ts'
import { parseVisible } from './unpack.ts'

/** skill-creator's name of a run: its folder with / as -. */
export function noteOf(run: Run): string {
  return (run.folder || `eval-${run.case.eval_id}/${run.arm}/run-${run.number}`).replaceAll('/', '-')
}

/** Of a whole case: its folder, as agentskills.io names it too. */
export function noteOfCase(model: Model, caseIndex: number): string {
  const [first] = model.ofCase(caseIndex).map((index) => model.run(index))
  return (first && noteOfItsCase(first)) || `eval-${model.page.cases[caseIndex]?.eval_id}`
}

/** Of the case that a run is of, where the run lies; on a page of two benchmarks each has its own. Empty: not known. */
export function noteOfItsCase({ folder, arm }: Run): string {
  const names = [arm, arm.replace(/^[AB]_/, '')]
  const at = Math.max(...names.map((name) => folder.lastIndexOf(`/${name}`)))
  return at < 0 ? '' : folder.slice(0, at).replaceAll('/', '-')
}

/** What was said in the iteration before; null: nothing. */
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
  for (const one of keptInBrowser('notes', model, isNote)) {
    if (!isNewer(one)) continue
    notes.set(one.run_id, one)
    if (isServed) unsent.add(one.run_id)
  }
  if (!isServed) return
  const send = () => sendUnsent(model)
  if (unsent.size > 0) send()
  onLost((lost) => lost || unsent.size === 0 || send())
  addEventListener('pagehide', () => unsent.size > 0 && post('feedback', fileOf(unsentNotes()), true))
  onKept((path, body) => path === '/feedback' && takeIn(body))
}

/** What another page has saved. What is being written here stays. */
function takeIn(body: string): void {
  const { reviews }: { reviews: PageNote[] } = parseVisible(body)
  merge(reviews)
  status.say(status.text)
}

function merge(found: readonly PageNote[]): void {
  for (const one of found) if (!unsent.has(one.run_id) && isNewer(one)) notes.set(one.run_id, one)
}

/** What was kept in the browser may be older than what was saved elsewhere since. */
function isNewer({ run_id, timestamp }: PageNote): boolean {
  const before = Date.parse(notes.get(run_id)?.timestamp ?? '')
  return Number.isNaN(before) || !(Date.parse(timestamp) < before)
}

function write(model: Model, id: string, text: string): void {
  notes.set(id, { run_id: id, feedback: text, timestamp: new Date().toISOString() })
  if (isServed) unsent.add(id)
  keep(model)
  status.say(isServed ? 'Saving…' : 'Kept in this browser; download it to use it.')
  if (!isServed) return
  clearTimeout(timer.id)
  timer.id = setTimeout(() => sendUnsent(model), 300)
}

const timer = { id: 0 }
/** Written here and not saved yet: what other pages wrote or emptied since is theirs to say. */
const unsent = new Set<string>()

function unsentNotes(): PageNote[] {
  return [...unsent].flatMap((id) => notes.get(id) ?? [])
}

function sendUnsent(model: Model): void {
  const sent = unsentNotes()
  post('feedback', fileOf(sent)).then((problem) => {
    if (problem === null) for (const one of sent) if (notes.get(one.run_id) === one) unsent.delete(one.run_id)
    keep(model)
    status.say(problem === null ? 'Saved.' : keptMeanwhile(problem))
  })
}

/** skill-creator's feedback.json. */
function fileOf(reviews: readonly PageNote[]): string {
  return `${JSON.stringify({ reviews, status: 'complete' }, null, 2)}\n`
}

/** All notes that say something. */
export function saveFeedback(): void {
  download('feedback.json', fileOf([...notes.values()].filter(({ feedback }) => feedback.trim() !== '')))
  status.say('Downloaded: put it into the benchmark folder.')
}

/** A served page keeps what is on its way alone: what was saved is the server's to tell. */
function keep(model: Model): void {
  keepInBrowser('notes', model, isServed ? unsentNotes() : [...notes.values()])
}

function isNote(value: unknown): value is PageNote {
  return typeof value === 'object' && value !== null && 'run_id' in value && 'feedback' in value
}

/** Whether a reader agrees with the judge's verdicts: labels in the page, and later ones. */
import type { AuditLine } from '../../../schemas/audit.ts'
import type { PageLabel } from '../../../schemas/page.ts'
import { onLost } from '../live_updates.ts'
import type { Model, Run } from '../model.ts'
import { ownEntry } from '../own_property.ts'
import { keepInBrowser, readFromBrowser, Status } from './save_status.ts'
import { download, isServed, post, unsavedNotice } from './send_or_save.ts'

/** A decision of the judge that a reader can label. */
export interface MarkableDecision {
  id: string
  run: Run
  text: string
  /** The judge's verdict. */
  passed: boolean
}

/** Labels set on this page, by id. */
const saidLines = new Map<string, AuditLine>()
/** Labels set while the server did not answer, by id. */
const unsentLines = new Map<string, AuditLine>()
/** Labels being sent: the log must get each only once. */
const sendingLines = new Set<AuditLine>()
const status = new Status()
const shared = { ready: false }

interface Marks {
  /** Whether it passes for a person; null: no label. */
  metOf(id: string): boolean | null
  mark(one: MarkableDecision, met: boolean | null): void
  /** The result of the last save. */
  state: string
  /** Labels set here that are in no log yet. */
  waiting: number
}

export function useMarks(model: Model): Marks {
  status.useRedraw()
  if (!shared.ready) start(model)
  return {
    metOf: (id) => newest(model, id)?.met ?? null,
    mark: (one, met) => mark(model, one, met),
    state: status.text,
    waiting: isServed ? 0 : listUnloggedLines(model).length,
  }
}

/** The newest label of a decision, from here or from the log. */
function newest(model: Model, id: string): PageLabel | undefined {
  const [here, logged] = [saidLines.get(id), ownEntry(model.page.extras.audit?.labels ?? {}, id)]
  if (here === undefined || logged === undefined) return here ?? logged
  return Date.parse(here.at) > Date.parse(logged.at) ? here : logged
}

function listUnloggedLines(model: Model): AuditLine[] {
  const labels = model.page.extras.audit?.labels ?? {}
  return [...saidLines.values()].filter((one) => {
    return newest(model, one.id) === one && one.met !== (ownEntry(labels, one.id)?.met ?? null)
  })
}

function start(model: Model): void {
  shared.ready = true
  for (const one of readFromBrowser('marks', model, isLine)) {
    saidLines.set(one.id, one)
    if (isServed && newest(model, one.id) === one) unsentLines.set(one.id, one)
  }
  if (!isServed) return
  const sendAll = () => {
    for (const one of unsentLines.values()) if (!sendingLines.has(one)) send(model, one)
  }
  sendAll()
  onLost((lost) => lost || sendAll())
}

function mark(model: Model, { id, run, text, passed }: MarkableDecision, met: boolean | null): void {
  const place = { run_id: run.folder, eval_id: run.case.eval_id, configuration: run.arm }
  const benchmark = model.page.extras.audit?.benchmark ?? ''
  const at = new Date().toISOString()
  const line: AuditLine = { schema_version: 1, id, at, met, judge_passed: passed, text, benchmark, ...place }
  const before = saidLines.get(id)
  saidLines.set(id, line)
  if (isServed) {
    status.say('Saving…')
    send(model, line, before)
    return
  }
  keepInBrowser('marks', model, [...saidLines.values()])
  status.say('Kept in this browser; download it to use it.')
}

/** A refused label returns to the one before; a label without an answer waits. */
function send(model: Model, line: AuditLine, before?: AuditLine): void {
  const { id, run_id, met } = line
  unsentLines.set(id, line)
  sendingLines.add(line)
  post('audit', JSON.stringify({ id, run_id, met }), true).then((problem) => {
    sendingLines.delete(line)
    if (unsentLines.get(id) === line && problem?.refused !== false) unsentLines.delete(id)
    if (problem?.refused === true && saidLines.get(id) === line) {
      if (before === undefined) saidLines.delete(id)
      else saidLines.set(id, before)
    }
    keepInBrowser('marks', model, [...unsentLines.values()])
    if (problem === null) status.say('Saved.')
    else status.say(problem.refused ? problem.text : unsavedNotice(problem))
  })
}

/** Downloads the lines for `whetstone audit --import`. */
export function saveMarks(model: Model): void {
  const lines = listUnloggedLines(model).map((one) => `${JSON.stringify(one)}\n`)
  download('audit_lines.jsonl', lines.join(''))
  status.say('Downloaded: whetstone audit <workspace> --import audit_lines.jsonl')
}

function isLine(value: unknown): value is AuditLine {
  return typeof value === 'object' && value !== null && 'id' in value && 'met' in value && 'at' in value
}

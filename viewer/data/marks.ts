/** Whether a reader holds the judge's verdicts to be right: what the page came with, and what was said since. */
import type { AuditLine } from '../../schemas/audit.ts'
import type { PageLabel } from '../../schemas/page.ts'
import { onLost } from './live.ts'
import type { Model, Run } from './model.ts'
import { download, isServed, keptMeanwhile, post } from './out.ts'
import { own } from './own.ts'
import { keepInBrowser, keptInBrowser, Status } from './said.ts'

/** A decision of the judge that can be marked. */
export interface Marked {
  id: string
  run: Run
  text: string
  /** As the judge says. */
  passed: boolean
}

/** Said on this page, by id. */
const said = new Map<string, AuditLine>()
/** Said here while no server answered, by id. */
const unsent = new Map<string, AuditLine>()
/** On its way: the log holds each once. */
const sending = new Set<AuditLine>()
const status = new Status()
const shared = { ready: false }

interface Marks {
  /** Whether a person holds it to be met; null: nobody said. */
  metOf(id: string): boolean | null
  mark(one: Marked, met: boolean | null): void
  /** How it went with what was marked last. */
  state: string
  /** Said here, and in no log yet. */
  waiting: number
}

export function useMarks(model: Model): Marks {
  status.useRedraw()
  if (!shared.ready) start(model)
  return {
    metOf: (id) => newest(model, id)?.met ?? null,
    mark: (one, met) => mark(model, one, met),
    state: status.text,
    waiting: isServed ? 0 : unlogged(model).length,
  }
}

/** What was said last of a decision, here or in the log. */
function newest(model: Model, id: string): PageLabel | undefined {
  const [here, logged] = [said.get(id), own(model.page.extras.audit?.labels ?? {}, id)]
  if (here === undefined || logged === undefined) return here ?? logged
  return Date.parse(here.at) > Date.parse(logged.at) ? here : logged
}

function unlogged(model: Model): AuditLine[] {
  const labels = model.page.extras.audit?.labels ?? {}
  return [...said.values()].filter((one) => {
    return newest(model, one.id) === one && one.met !== (own(labels, one.id)?.met ?? null)
  })
}

function start(model: Model): void {
  shared.ready = true
  for (const one of keptInBrowser('marks', model, isLine)) {
    said.set(one.id, one)
    if (isServed && newest(model, one.id) === one) unsent.set(one.id, one)
  }
  if (!isServed) return
  const sendAll = () => {
    for (const one of unsent.values()) if (!sending.has(one)) send(model, one)
  }
  sendAll()
  onLost((lost) => lost || sendAll())
}

function mark(model: Model, { id, run, text, passed }: Marked, met: boolean | null): void {
  const place = { run_id: run.folder, eval_id: run.case.eval_id, configuration: run.arm }
  const benchmark = model.page.extras.audit?.benchmark ?? ''
  const at = new Date().toISOString()
  const line: AuditLine = { schema_version: 1, id, at, met, judge_passed: passed, text, benchmark, ...place }
  const before = said.get(id)
  said.set(id, line)
  if (isServed) {
    status.say('Saving…')
    send(model, line, before)
    return
  }
  keepInBrowser('marks', model, [...said.values()])
  status.say('Kept in this browser; download it to use it.')
}

/** What is refused is as it was before; what nobody answers waits. */
function send(model: Model, line: AuditLine, before?: AuditLine): void {
  const { id, run_id, met } = line
  unsent.set(id, line)
  sending.add(line)
  post('audit', JSON.stringify({ id, run_id, met }), true).then((problem) => {
    sending.delete(line)
    if (unsent.get(id) === line && problem?.refused !== false) unsent.delete(id)
    if (problem?.refused === true && said.get(id) === line) {
      if (before === undefined) said.delete(id)
      else said.set(id, before)
    }
    keepInBrowser('marks', model, [...unsent.values()])
    if (problem === null) status.say('Saved.')
    else status.say(problem.refused ? problem.text : keptMeanwhile(problem))
  })
}

/** Lines for `whetstone audit --import`. */
export function saveMarks(model: Model): void {
  const lines = unlogged(model).map((one) => `${JSON.stringify(one)}\n`)
  download('audit_lines.jsonl', lines.join(''))
  status.say('Downloaded: whetstone audit <workspace> --import audit_lines.jsonl')
}

function isLine(value: unknown): value is AuditLine {
  return typeof value === 'object' && value !== null && 'id' in value && 'met' in value && 'at' in value
}

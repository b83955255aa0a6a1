/** Whether a reader holds the judge's verdicts to be right: what the page came with, and what was said since. */
import { useEffect, useState } from 'preact/hooks'
import type { AuditLine } from '../../schemas/audit.ts'
import type { PageLabel } from '../../schemas/page.ts'
import type { Model, Run } from './model.ts'
import { download, isServed, post } from './out.ts'
import { own } from './own.ts'

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
const listeners = new Set<() => void>()
const shared = { ready: false, state: '' }

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
  const [, redraw] = useState(0)
  useEffect(() => {
    const changed = () => redraw((number) => number + 1)
    listeners.add(changed)
    return () => void listeners.delete(changed)
  }, [])
  if (!shared.ready) {
    shared.ready = true
    for (const one of isServed ? [] : kept(model)) said.set(one.id, one)
  }
  return {
    metOf: (id) => newest(model, id)?.met ?? null,
    mark: (one, met) => mark(model, one, met),
    state: shared.state,
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

function mark(model: Model, { id, run, text, passed }: Marked, met: boolean | null): void {
  const before = said.get(id)
  const place = { run_id: run.folder, eval_id: run.case.eval_id, configuration: run.arm }
  const benchmark = model.page.extras.audit?.benchmark ?? ''
  const now = { schema_version: 1 as const, id, at: new Date().toISOString(), met }
  said.set(id, { ...now, judge_passed: passed, text, benchmark, ...place })
  if (!isServed) {
    keep(model)
    say('Kept in this browser; download it to use it.')
    return
  }
  say('Saving…')
  post('audit', JSON.stringify({ id, run_id: run.folder, met })).then((problem) => {
    if (problem !== null) {
      if (before === undefined) said.delete(id)
      else said.set(id, before)
    }
    say(problem ?? 'Saved.')
  })
}

function say(text: string): void {
  shared.state = text
  for (const listener of listeners) listener()
}

/** Lines for `whetstone audit --import`. */
export function saveMarks(model: Model): void {
  const lines = unlogged(model).map((one) => `${JSON.stringify(one)}\n`)
  download('audit_lines.jsonl', lines.join(''))
  say('Downloaded: whetstone audit <workspace> --import audit_lines.jsonl')
}

function storageKey({ page }: Model): string {
  const { skill_name, timestamp } = page.benchmark.metadata
  return `whetstone-marks:${skill_name}:${timestamp}`
}

function keep(model: Model): void {
  try {
    localStorage.setItem(storageKey(model), JSON.stringify([...said.values()]))
  } catch {
    // a browser that keeps nothing for files: the marks last as long as the page
  }
}

function kept(model: Model): AuditLine[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(storageKey(model)) ?? '[]')
    return Array.isArray(found) ? found.filter(isLine) : []
  } catch {
    return []
  }
}

function isLine(value: unknown): value is AuditLine {
  return typeof value === 'object' && value !== null && 'id' in value && 'met' in value && 'at' in value
}

/** view --serve: the page of a benchmark while it runs and after, with notes that are saved at once; writes nothing else into it. */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Plan } from '../../../schemas/plan.ts'
import { UserError } from '../../base/error.ts'
import { exists } from '../../base/files.ts'
import { sha256 } from '../../base/json.ts'
import { redactorFor } from '../../base/redact.ts'
import { realTmp } from '../../base/room.ts'
import type { QueueAddress } from '../../jobs/queue/address.ts'
import { auditLogFile } from '../../store/audit_log.ts'
import { isHeld } from '../../store/lease.ts'
import { benchmarkPaths, runPaths } from '../../store/paths.ts'
import { readPlan } from '../../store/store.ts'
import { benchmarkIn, folderOf, measuredAlone } from '../benchmark_in.ts'
import type { FlowContext } from '../context.ts'
import { auditWorkspace, keepMark } from '../label.ts'
import { meantBy } from '../meant.ts'
import { type Measured, makeWorkspacePage, measuredIn } from '../page/workspace_page.ts'
import { makePage } from '../page/write_page.ts'
import { mergeNotes } from './notes.ts'
import { type Served, type Server, startServer } from './server.ts'
import { ownKey, tokenOf } from './token.ts'

const pause = 1000

/** Gets the address, and what makes one that leads there once. */
type Started = (server: Pick<Server, 'url' | 'once'>) => void

export interface ServeRequest {
  folder: string
  /** The queue whose workers are shown beside it; null: none. */
  queue: QueueAddress | null
  started: Started
}

/** Ends when the context does. `started` gets the address. Throws UserError where there is nothing to show. */
export async function serve({ folder: asked, queue, started }: ServeRequest, context: FlowContext): Promise<void> {
  const alone = await measuredAlone(await meantBy(path.resolve(asked)))
  await using watch = queue === null ? null : await (await import('./fleet.ts')).watchFleet(queue, context)
  const beside = watch === null ? {} : { fleet: async () => JSON.stringify(await watch.now()) }
  if (alone === null) await serveBenchmark(asked, context, { started, ...beside })
  else await serveWorkspace(alone, context, { started, ...beside })
}

/** What a page shows of a queue, and who hears where it is. */
interface Showing extends Pick<Served, 'fleet'> {
  started: Started
}

async function serveBenchmark(asked: string, context: FlowContext, { started, ...beside }: Showing): Promise<void> {
  const folder = await folderOf(asked)
  const plan = (await exists(benchmarkPaths(folder).plan)) ? await readPlan(folder) : null
  const folders = plan === null ? (await benchmarkIn(folder, context)).folders : new Map()
  const seen: Seen = { folder, plan, folders, state: '', changed: () => {} }
  const file = path.join(folder, 'feedback.json')
  const keep = new Map([
    ['/feedback', (body: string) => mergeNotes(file, body)],
    ...(plan === null ? [] : [['/audit', (body: string) => keepMark(folder, plan, body)] as const]),
  ])
  await whileServed({ folder, page: (report) => pageNow(seen, report, context), keep, ...beside }, async (server) => {
    seen.changed = server.changed
    started(server)
    await everySecond(context, () => look(seen))
  })
}

/** What was measured beside the benchmarks that are not there: nothing is said of it, so nothing is kept. */
async function serveWorkspace(
  { workspace, folder }: Measured,
  context: FlowContext,
  { started, ...beside }: Showing,
): Promise<void> {
  const redactor = redactorFor(context.env)
  const now = () => measuredIn(folder)
  const page = async (report: string) => {
    const measured = now()
    if (measured === null) throw new UserError(`${workspace}: what was measured is not there any more`)
    return makeWorkspacePage({ ...measured, report, redactor, now: context.now(), served: true })
  }
  const last = { state: JSON.stringify(now()) }
  await whileServed({ folder, page, keep: new Map(), ...beside }, async (server) => {
    started(server)
    await everySecond(context, async () => {
      const state = JSON.stringify(now())
      if (state !== last.state) server.changed()
      last.state = state
    })
  })
}

interface Kept extends Pick<Served, 'keep' | 'fleet'> {
  /** What is shown, absolute. */
  folder: string
  /** The page, whose files lie beside `report`. */
  page(report: string): Promise<string>
}

/** Serves while something is done; what lies beside the page is in a folder of its own and goes with it. */
async function whileServed(
  { folder, page, ...beside }: Kept,
  during: (server: Server) => Promise<void>,
): Promise<void> {
  const own = await mkdtemp(path.join(realTmp(), 'whetstone-view-'))
  const data = path.join(own, 'report.data')
  const key = await ownKey()
  const server = await startServer({
    token: (port) => tokenOf(key, folder, port),
    page: () => page(path.join(own, 'report.html')),
    data,
    port: portOf(folder),
    ...beside,
  })
  try {
    await during(server)
  } finally {
    await server.close()
    await rm(own, { recursive: true, force: true })
  }
}

/** The same for the same folder, among those that systems give to nobody by themselves. */
function portOf(folder: string): number {
  return 20_000 + (Number.parseInt(sha256(folder).slice(0, 6), 16) % 10_000)
}

interface Seen {
  folder: string
  /** null: another tool's. */
  plan: Plan | null
  /** Of the runs of the last page, absolute, by runKey. */
  folders: ReadonlyMap<string, string>
  /** Of the folder, as it was last looked at. */
  state: string
  /** Tells the open pages. */
  changed(): void
}

async function pageNow(seen: Seen, report: string, context: FlowContext): Promise<string> {
  const { folder } = seen
  const running = await look(seen)
  const { plan: _plan, ...found } = await benchmarkIn(folder, context)
  seen.folders = found.folders
  return makePage({
    ...found,
    report,
    redactor: redactorFor(context.env),
    served: true,
    running,
  })
}

/**
 * Tells the pages where something is not as it was at the last look; gives whether a bench is at work. Each page is made after a
 * look and says what that saw: else it could show a bench that came and went between two looks, for ever.
 */
async function look(seen: Seen): Promise<boolean> {
  if (!(await exists(seen.folder))) {
    throw new UserError(`${seen.folder}: is not there any more`, 'serve it where it is now')
  }
  const held = await isHeld(seen.folder)
  const state = `${held} ${await timesOf(seen)}`
  if (state !== seen.state) seen.changed()
  seen.state = state
  return held
}

async function everySecond(context: FlowContext, act: () => Promise<unknown>): Promise<void> {
  const ends = [context.signal, context.drain]
  while (!ends.some((one) => one.aborted)) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, pause)
      function done() {
        clearTimeout(timer)
        for (const one of ends) one.removeEventListener('abort', done)
        resolve()
      }
      for (const one of ends) one.addEventListener('abort', done)
    })
    await act()
  }
}

/** Changes when a run is committed or graded, and when somebody says something of the judge. */
async function timesOf({ folder, plan, folders }: Seen): Promise<string> {
  const files =
    plan === null
      ? foreignFiles(folder, folders)
      : [
          benchmarkPaths(folder).benchmark,
          auditLogFile(auditWorkspace(folder)),
          ...plan.runs.map((spec) => runPaths(folder, spec.run_id).folder),
        ]
  const times: number[] = []
  for (let from = 0; from < files.length; from += 500) {
    const some = files.slice(from, from + 500).map((file) =>
      stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    )
    times.push(...(await Promise.all(some)))
  }
  return times.join(' ')
}

/** No plan says what is to come: every run, its grading, and each folder above it, in which another may appear. */
function foreignFiles(folder: string, folders: Seen['folders']): string[] {
  const files = new Set([folder])
  for (const run of folders.values()) {
    files.add(path.join(run, 'grading.json'))
    for (let one = run; one.startsWith(`${folder}${path.sep}`); one = path.dirname(one)) files.add(one)
  }
  return [...files]
}

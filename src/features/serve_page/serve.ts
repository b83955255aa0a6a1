/** view --serve: serves a benchmark's page during and after its runs, and saves notes at once; writes nothing else into it. */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Plan } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { resolveTmp } from '../../base/fs/temp_dir.ts'
import { sha256 } from '../../base/json/json.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import type { WatchFleet } from '../../cli/commands/options/remote_flags.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { auditWorkspace } from '../../flows/labels/judge_decisions.ts'
import { type MeasuredWorkspace, makeWorkspacePage, readMeasuredWorkspace } from '../../flows/page/workspace_page.ts'
import { makePage } from '../../flows/page/write_page.ts'
import { findLoneMeasurement, loadBenchmark, resolveBenchmarkFolder } from '../../flows/report/read_benchmark.ts'
import { resolveWorkspace } from '../../flows/workspace/resolve_workspace.ts'
import { auditLogFile } from '../../store/artefacts/audit_log.ts'
import { isLeaseHeld } from '../../store/lease/lease.ts'
import { benchmarkPaths, runPaths } from '../../store/paths.ts'
import { findSigner, type ResultSigner } from '../../store/signing/signer.ts'
import { readPlan } from '../../store/store.ts'
import { keepMark, mergeNotes } from './save_notes.ts'
import { type PageServer, type PageServerOptions, startPageServer } from './server.ts'

const pollIntervalMs = 1000

/** Receives the URL, and a function that creates one-time URLs. */
type OnServerStarted = (server: Pick<PageServer, 'url' | 'once'>) => void

export interface ServeRequest {
  folder: string
  /** Watches the machines that the page shows; null: none. */
  watchFleet: WatchFleet | null
  started: OnServerStarted
}

/** Ends when the context does. `started` gets the URL. Throws UserError where there is nothing to show. */
export async function serve({ folder: asked, watchFleet, started }: ServeRequest, context: FlowContext): Promise<void> {
  const alone = await findLoneMeasurement(await resolveWorkspace(path.resolve(asked)))
  await using watch = (await watchFleet?.(context)) ?? null
  const beside = watch === null ? {} : { fleet: async () => JSON.stringify(await watch.now()) }
  if (alone === null) await serveBenchmark(asked, context, { started, ...beside })
  else await serveWorkspace(alone, context, { started, ...beside })
}

/** The machines of a page, and the callback for its URL. */
interface ServeOptions extends Pick<PageServerOptions, 'fleet'> {
  started: OnServerStarted
}

async function serveBenchmark(
  asked: string,
  context: FlowContext,
  { started, ...beside }: ServeOptions,
): Promise<void> {
  const folder = await resolveBenchmarkFolder(asked)
  const plan = (await pathExists(benchmarkPaths(folder).plan)) ? await readPlan(folder) : null
  const folders = plan === null ? (await loadBenchmark(folder, context)).folders : new Map()
  const seen: ServedState = { folder, plan, folders, state: '', changed: () => {} }
  const file = path.join(folder, 'feedback.json')
  const keep = new Map([
    ['/feedback', (body: string) => mergeNotes(file, body)],
    ...(plan === null ? [] : [['/audit', (body: string) => keepMark(folder, plan, body)] as const]),
  ])
  await withPageServer(
    { folder, page: (report) => renderPage(seen, report, context), keep, env: context.env, ...beside },
    async (server) => {
      seen.changed = server.changed
      started(server)
      await repeatEverySecond(context, () => pollChanges(seen))
    },
  )
}

/** Serves measurements of a workspace without benchmarks: they have no notes to save. */
async function serveWorkspace(
  { workspace, folder }: MeasuredWorkspace,
  context: FlowContext,
  { started, ...beside }: ServeOptions,
): Promise<void> {
  const redactor = getRedactor(context.env)
  const now = () => readMeasuredWorkspace(folder)
  const page = async (report: string) => {
    const measured = now()
    if (measured === null) throw new UserError(`${workspace}: the benchmark no longer exists`)
    return makeWorkspacePage({ ...measured, report, redactor, now: context.now(), served: true })
  }
  const last = { state: JSON.stringify(now()) }
  await withPageServer({ folder, page, keep: new Map(), env: context.env, ...beside }, async (server) => {
    started(server)
    await repeatEverySecond(context, async () => {
      const state = JSON.stringify(now())
      if (state !== last.state) server.changed()
      last.state = state
    })
  })
}

interface ServedFolder extends Pick<PageServerOptions, 'keep' | 'fleet'>, Pick<FlowContext, 'env'> {
  /** The served folder, absolute. */
  folder: string
  /** Renders the page, with its data files next to `report`. */
  page(report: string): Promise<string>
}

/** Serves during `during`; the page's data files are in a temp directory that is removed at the end. */
async function withPageServer(
  { folder, page, env, ...beside }: ServedFolder,
  during: (server: PageServer) => Promise<void>,
): Promise<void> {
  const own = await mkdtemp(path.join(resolveTmp(), 'whetstone-view-'))
  const data = path.join(own, 'report.data')
  const server = await startPageServer({
    token: (port) => deriveToken(findSigner(env), folder, port),
    page: () => page(path.join(own, 'report.html')),
    data,
    port: folderPort(folder),
    ...beside,
  })
  try {
    await during(server)
  } finally {
    await server.close()
    await rm(own, { recursive: true, force: true })
  }
}

/**
 * The secret part of the page's URL: every user of a machine can reach its port. It stays the same under the user's key, so that an open page
 * finds a restarted server.
 */
export function deriveToken(signer: ResultSigner, folder: string, port: number): string {
  return signer.sign(['served page', port], sha256(folder))
}

/** The same for the same folder, below the ports that systems assign automatically. */
function folderPort(folder: string): number {
  return 20_000 + (Number.parseInt(sha256(folder).slice(0, 6), 16) % 10_000)
}

interface ServedState {
  folder: string
  /** null: from another tool. */
  plan: Plan | null
  /** Run folders on the last page, absolute, by runKey. */
  folders: ReadonlyMap<string, string>
  /** The folder's state at the last poll. */
  state: string
  /** Notifies the open pages. */
  changed(): void
}

async function renderPage(seen: ServedState, report: string, context: FlowContext): Promise<string> {
  const { folder } = seen
  const running = await pollChanges(seen)
  const { plan: _plan, ...found } = await loadBenchmark(folder, context)
  seen.folders = found.folders
  return makePage({
    ...found,
    report,
    redactor: getRedactor(context.env),
    served: true,
    running,
  })
}

/**
 * Notifies the pages of changes since the last poll; returns whether a bench is running. Each page is rendered after a poll and shows its
 * state, so that it never misses a bench that started and ended between two polls.
 */
async function pollChanges(seen: ServedState): Promise<boolean> {
  if (!(await pathExists(seen.folder))) {
    throw new UserError(`${seen.folder}: no longer exists`, 'start view --serve again with the new path')
  }
  const isLocked = await isLeaseHeld(seen.folder)
  const state = `${isLocked} ${await readChangeTimes(seen)}`
  if (state !== seen.state) seen.changed()
  seen.state = state
  return isLocked
}

async function repeatEverySecond({ signal, drain }: FlowContext, act: () => Promise<unknown>): Promise<void> {
  const end = AbortSignal.any([signal, drain])
  while (!end.aborted) {
    await sleep(pollIntervalMs, undefined, { signal: end }).catch(() => {})
    await act()
  }
}

/** Changes when a run is committed or graded, and when a person labels a decision. */
async function readChangeTimes({ folder, plan, folders }: ServedState): Promise<string> {
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

/** Without a plan: every run, its grading, and each folder above it, where others may appear. */
function foreignFiles(folder: string, folders: ServedState['folders']): string[] {
  const files = new Set([folder])
  for (const run of folders.values()) {
    files.add(path.join(run, 'grading.json'))
    for (let one = run; one.startsWith(`${folder}${path.sep}`); one = path.dirname(one)) files.add(one)
  }
  return [...files]
}

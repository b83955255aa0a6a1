/** view --serve: the page of a benchmark while it runs and after, with notes that are saved at once; writes nothing else into it. */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Plan } from '../../../schemas/plan.ts'
import { UserError } from '../../base/error.ts'
import { exists } from '../../base/files.ts'
import { redactorFor } from '../../base/redact.ts'
import { auditLogFile } from '../../store/audit_log.ts'
import { isHeld } from '../../store/lease.ts'
import { benchmarkPaths, runPaths } from '../../store/paths.ts'
import { listBenchmarks, readPlan } from '../../store/store.ts'
import type { FlowContext } from '../context.ts'
import { auditWorkspace, keepMark } from '../label.ts'
import { caseFiles } from '../page/case_files.ts'
import { makePage } from '../page/write_page.ts'
import { benchmarkNow } from '../summarize.ts'
import { mergeNotes } from './notes.ts'
import { startServer } from './server.ts'

const pause = 1000

/** Ends when the context does. `started` gets the address. */
export async function serve(asked: string, context: FlowContext, started: (url: string) => void): Promise<void> {
  const [newest] = await listBenchmarks(path.resolve(asked))
  const folder = newest ?? path.resolve(asked)
  if (!(await exists(benchmarkPaths(folder).plan))) {
    throw new UserError(
      `${asked}: --serve needs a benchmark of ours`,
      'leave --serve out for the folders of other tools',
    )
  }
  const plan = await readPlan(folder)
  const own = await mkdtemp(path.join(tmpdir(), 'whetstone-view-'))
  const file = path.join(folder, 'feedback.json')
  const server = await startServer({
    page: () => pageNow(folder, plan, own, context),
    data: path.join(own, 'report.data'),
    keep: new Map([
      ['/feedback', (body) => mergeNotes(file, body)],
      ['/audit', (body) => keepMark(folder, plan, body)],
    ]),
  })
  try {
    started(server.url)
    await watch(folder, plan, context, server.changed)
  } finally {
    await server.close()
    await rm(own, { recursive: true, force: true })
  }
}

async function pageNow(folder: string, plan: Plan, own: string, context: FlowContext): Promise<string> {
  const { benchmark, folders } = await benchmarkNow(folder, plan, context)
  const redactor = redactorFor(context.env)
  return makePage({
    folder,
    report: path.join(own, 'report.html'),
    benchmark,
    prompts: redactor.value(plan),
    folders,
    redactor,
    files: caseFiles(plan.cases),
    served: true,
    running: await isHeld(folder),
  })
}

async function watch(folder: string, plan: Plan, context: FlowContext, changed: () => void): Promise<void> {
  const ends = [context.signal, context.drain]
  let before = await stateOf(folder, plan)
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
    const now = await stateOf(folder, plan)
    if (now !== before) changed()
    before = now
  }
}

/** Changes when a run is committed or graded, when somebody says something of the judge, and when a bench takes the benchmark up or ends. */
async function stateOf(folder: string, plan: Plan): Promise<string> {
  const files = [
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
  return `${await isHeld(folder)} ${times.join(' ')}`
}

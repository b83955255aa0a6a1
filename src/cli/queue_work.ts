/** `queue work`: opens the queue, works, and writes a line for what happens. */
import { missingFor } from '../engines/available.ts'
import { engineNamed, engineNames } from '../engines/table.ts'
import type { FlowContext } from '../flows/context.ts'
import { ownVersion } from '../flows/eval/machine.ts'
import { workQueue } from '../flows/queue/work.ts'
import type { WorkEvent } from '../flows/queue/work_event.ts'
import { openTransport } from '../jobs/queue/open.ts'
import { timingOf } from '../jobs/queue/transport.ts'
import type { QueueArguments } from './commands/queue.ts'
import { listOf, sharedFolder } from './commands/queue_flags.ts'
import { sandboxWish } from './commands/sandbox_flags.ts'
import type { Interrupts } from './interrupt.ts'
import { safe } from './style.ts'

export async function startWork(parsed: QueueArguments & { queue: string }, interrupts: Interrupts): Promise<void> {
  const shared = sharedFolder(parsed.shared)
  const { env } = process
  const engines = await enginesOf(parsed.engines, env)
  const say = parsed.json ? jsonLine : textLine
  await using transport = await openTransport(parsed.queue, timingOf(parsed.lock))
  const context: FlowContext = {
    emit: () => {},
    ...{ env, drain: interrupts.drain, signal: interrupts.signal, now: () => new Date() },
  }
  const request = {
    ...{ shared, engines, concurrency: parsed.concurrency, tags: listOf(parsed.tags), sandbox: sandboxWish(parsed) },
    ...{ signer: null, cache: null, version: await ownVersion() },
  }
  process.stderr.write(
    `working for ${transport.place}: ${engines.join(', ')}, ${parsed.concurrency} at once; Ctrl-C ends it\n`,
  )
  const worked = await workQueue(
    request,
    { transport, tell: (event) => process.stdout.write(`${say(event)}\n`) },
    context,
  )
  process.stderr.write(`stopped: ${worked.done} runs made, ${worked.failed} left\n`)
}

/** Those named, else those that could be asked on this machine. Throws UserError for an unknown one. */
async function enginesOf(named: string | undefined, env: NodeJS.ProcessEnv): Promise<string[]> {
  const asked = listOf(named)
  for (const name of asked) engineNamed(name)
  if (asked.length > 0) return asked
  const able: string[] = []
  for (const name of engineNames) {
    if (name === 'command' || (await missingFor({ name, model: null }, env)) === null) able.push(name)
  }
  return able
}

function jsonLine(event: WorkEvent): string {
  return JSON.stringify({ at: new Date().toISOString(), ...event })
}

function textLine(event: WorkEvent): string {
  switch (event.type) {
    case 'queue_held':
      return safe(`takes from ${event.queue} (${[event.engine, ...event.tags].join(', ')})`)
    case 'job_started':
      return safe(`${event.run_id} started${event.starts > 1 ? ` (start ${event.starts})` : ''}`)
    case 'job_ended':
      return safe(`${event.run_id} ${event.record.status}, ${(event.record.duration_ms / 1000).toFixed(1)} s`)
    case 'job_left':
      return safe(`${event.run_id} left: ${event.reason}`)
    case 'trouble':
      return safe(`queue: ${event.message}`)
  }
}

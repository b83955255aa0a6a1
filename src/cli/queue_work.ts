/** `queue work`: opens the queue, works, and writes a line for what happens. */

import { gathered } from '../base/gathered.ts'
import { redactorFor } from '../base/redact.ts'
import { chooseSandbox } from '../base/sandbox/choose.ts'
import { missingFor } from '../engines/available.ts'
import { engineNamed, engineNames } from '../engines/table.ts'
import type { FlowContext } from '../flows/context.ts'
import { ownVersion } from '../flows/eval/machine.ts'
import { openObservers } from '../flows/observe/observers.ts'
import { lookSoon } from '../flows/queue/look.ts'
import { type Worked, workQueue } from '../flows/queue/work.ts'
import type { QueueAddress } from '../jobs/queue/address.ts'
import { openTransport } from '../jobs/queue/open.ts'
import { openSigner } from '../jobs/queue/sign.ts'
import { timingOf } from '../jobs/queue/transport.ts'
import type { QueueArguments } from './commands/queue.ts'
import { listOf, sharedFolder, usualWait } from './commands/queue_flags.ts'
import { sandboxWish } from './commands/sandbox_flags.ts'
import type { Interrupts } from './interrupt.ts'
import { ownEnvironment } from './own_environment.ts'
import { patienceOf } from './queue_wait.ts'
import { safe } from './style.ts'
import { setAsUsual } from './v8_flags.ts'

export async function startWork(
  parsed: QueueArguments & { address: QueueAddress },
  interrupts: Interrupts,
): Promise<void> {
  setAsUsual()
  const shared = sharedFolder(parsed.shared)
  const env = ownEnvironment()
  const engines = await enginesOf(parsed.engines, env)
  const tags = listOf('tags', parsed.tags)
  const sandbox = sandboxWish(parsed)
  await chooseSandbox(sandbox, env.PATH ?? '') // a worker that can begin nothing would fail the jobs of others
  const { queueWait = usualWait } = parsed
  const patience = patienceOf(parsed.address, queueWait * 1000, interrupts.drain)
  const opening = openTransport(parsed.address, timingOf(parsed.lock), patience)
  await using transport = await opening.catch((error: unknown) => {
    if (interrupts.drain.aborted) return null
    throw error
  })
  if (transport === null) return sayStopped({ done: 0, failed: 0 })
  const context: FlowContext = {
    emit: () => {},
    ...{ env, drain: interrupts.drain, signal: interrupts.signal, now: () => new Date() },
  }
  const request = {
    ...{ shared, engines, concurrency: parsed.concurrency, tags, sandbox },
    ...{ signer: openSigner({ keyFile: parsed.keyFile ?? null, env }), cache: null, version: await ownVersion() },
  }
  const look = () => lookSoon(transport, context.now())
  const write = gathered(process.stdout)
  await using observers = await openObservers({
    log: {
      format: parsed.json ? 'json' : parsed.logFormat,
      write: (line) => write(safeLine(line)),
      now: context.now,
      redactor: redactorFor(env),
    },
    metrics: parsed.metricsPort === undefined ? null : { host: parsed.metricsHost, port: parsed.metricsPort, look },
    ...{ version: request.version, env },
  })
  if (request.signer === null) {
    process.stderr.write('no --key-file: this worker runs what anyone who can write to the queue puts there\n')
  }
  if (observers.metricsUrl !== null) process.stderr.write(`metrics at ${observers.metricsUrl}\n`)
  process.stderr.write(
    `working for ${transport.place}: ${engines.join(', ')}, ${parsed.concurrency} at once; Ctrl-C ends it\n`,
  )
  sayStopped(await workQueue(request, { transport, tell: observers.tell }, context))
}

function sayStopped({ done, failed }: Worked): void {
  process.stderr.write(`stopped: ${done} runs made, ${failed} left\n`)
}

/** What an agent or a job says moves no cursor. */
function safeLine(line: string): string {
  return `${safe(line.slice(0, -1))}\n`
}

/** Those named, else those that could be asked on this machine. Throws UserError for an unknown one. */
async function enginesOf(named: string | undefined, env: NodeJS.ProcessEnv): Promise<string[]> {
  const asked = listOf('engines', named)
  for (const name of asked) engineNamed(name)
  if (asked.length > 0) return asked
  const able: string[] = []
  for (const name of engineNames) {
    if (name === 'command' || (await missingFor({ name, model: null }, env)) === null) able.push(name)
  }
  return able
}

/** `queue work`: connects to the queue, works, and prints a line for each event. */
import { UserError } from '../../base/errors/error.ts'
import { readOwnPackage } from '../../base/package_root.ts'
import { chooseSandbox } from '../../base/sandbox/choose.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { ownEnvironment } from '../../cli/commands/options/run_flow.ts'
import { sandboxWish } from '../../cli/commands/options/sandbox_flags.ts'
import type { Interrupts } from '../../cli/terminal/interrupt.ts'
import { toSafeLine } from '../../cli/terminal/style.ts'
import { findMissingRequirement } from '../../engines/models/first_available.ts'
import { findEngine, listEngineNames, takesCommand } from '../../engines/table.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { parseList, sharedFolder, usualWait } from './flags.ts'
import { openObservers } from './observe/observers.ts'
import type { QueueArguments } from './options.ts'
import { pollQueueStatus } from './queue_status.ts'
import type { QueueAddress } from './server/address.ts'
import { openTransport } from './server/open.ts'
import { openSigner } from './server/sign.ts'
import { createQueueTiming } from './server/transport.ts'
import { createWaitPolicy } from './status_command.ts'
import { runQueueWorker, type WorkSummary } from './worker/work.ts'

export async function startWork(
  parsed: QueueArguments & { address: QueueAddress },
  interrupts: Interrupts,
): Promise<void> {
  const shared = sharedFolder(parsed.shared)
  const env = ownEnvironment()
  const tags = parseList('tags', parsed.tags)
  const sandbox = sandboxWish(parsed)
  await chooseSandbox(sandbox, env.PATH ?? '') // fail first: a worker without a sandbox would fail other people's jobs
  const engines = await resolveWorkerEngines(parsed, env)
  const { queueWait = usualWait } = parsed
  const patience = createWaitPolicy(parsed.address, queueWait * 1000, interrupts.drain)
  const opening = openTransport(parsed.address, createQueueTiming(parsed.lock), patience)
  await using transport = await opening.catch((error: unknown) => {
    if (interrupts.drain.aborted) return null
    throw error
  })
  if (transport === null) return sayStopped({ done: 0, failed: 0 })
  const context: FlowContext = {
    emit: () => {},
    ...{ env, drain: interrupts.drain, signal: interrupts.signal, now: () => new Date() },
  }
  const version = readOwnPackage().version
  const signer = openSigner({ keyFile: parsed.keyFile ?? null, env })
  const look = () => pollQueueStatus(transport, context.now())
  await using observers = await openObservers({
    log: {
      format: parsed.json ? 'json' : parsed.logFormat,
      // removes control characters, so that text from an agent or job can't move the cursor
      write: (line) => process.stdout.write(`${toSafeLine(line.slice(0, -1))}\n`),
      now: context.now,
      redactor: getRedactor(env),
    },
    metrics: parsed.metricsPort === undefined ? null : { host: parsed.metricsHost, port: parsed.metricsPort, look },
    ...{ version, env },
  })
  if (signer === null)
    process.stderr.write('no --key-file: this worker runs every job in the queue, whoever put it there\n')
  if (observers.metricsUrl !== null) process.stderr.write(`metrics at ${observers.metricsUrl}\n`)
  process.stderr.write(
    `working for ${transport.place}: ${engines.join(', ')}, ${parsed.concurrency} at once; Ctrl-C ends it\n`,
  )
  const { concurrency } = parsed
  const request = { shared, engines, concurrency, tags, sandbox, signer, version }
  sayStopped(await runQueueWorker(request, { transport, tell: observers.tell }, context))
}

function sayStopped({ done, failed }: WorkSummary): void {
  process.stderr.write(`stopped: ${done} runs done, ${failed} left\n`)
}

/**
 * The named engines, else those available on this machine. Offers `command` and `acp` only on request: their jobs name the program to start;
 * and engines without a key: whether their server answers changes by the hour.
 * Throws UserError for an unknown engine.
 */
async function resolveWorkerEngines(
  { engines: named, trustSuite }: Pick<QueueArguments, 'engines' | 'trustSuite'>,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const asked = parseList('engines', named)
  for (const name of asked) findEngine(name)
  if (asked.length > 0) return asked
  const able: string[] = []
  for (const name of listEngineNames()) {
    const isNamedOnly = findEngine(name).needsNoKey === true
    const isAble = async () => !isNamedOnly && (await findMissingRequirement({ name, model: null }, env)) === null
    if (takesCommand(name) ? trustSuite : await isAble()) able.push(name)
  }
  if (able.length === 0)
    throw new UserError(
      'no engine available on this worker: neither a key nor an agent program found',
      'run whetstone doctor to see what is missing, or use --engines command',
    )
  return able
}

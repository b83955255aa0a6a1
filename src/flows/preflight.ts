/** Asks engine and judge whether they can work, before anything is paid for. */
import type { EngineChoice } from '../../schemas/plan.ts'
import { IncompleteError, UserError } from '../base/error.ts'
import { openRoom } from '../base/room.ts'
import { credentialsOf } from '../engines/base_url.ts'
import type { Probe } from '../engines/engine.ts'
import { engineNamed } from '../engines/table.ts'
import { runEnvironment } from '../phases/2-run/environment.ts'
import type { FlowContext } from './context.ts'

export type ReadyProbe = Extract<Probe, { ok: true }>

/** Probes each distinct choice once; by its JSON. Throws UserError (binary, credentials, model) or IncompleteError (unreachable). */
export async function preflight(
  choices: readonly (EngineChoice | null)[],
  passEnv: readonly string[],
  context: FlowContext,
): Promise<ReadonlyMap<string, ReadyProbe>> {
  const distinct = new Map(choices.flatMap((choice) => (choice ? [[JSON.stringify(choice), choice] as const] : [])))
  const probes = new Map<string, ReadyProbe>()
  for (const [name, choice] of distinct) probes.set(name, await probe(choice, passEnv, context))
  return probes
}

async function probe(choice: EngineChoice, passEnv: readonly string[], context: FlowContext): Promise<ReadyProbe> {
  await using room = await openRoom()
  const engine = engineNamed(choice.name)
  const answer = await engine.probe({
    model: choice.model,
    command: choice.command ?? null,
    credentials: credentialsOf(engine, choice, context.env),
    env: runEnvironment({ user: context.env, home: room.path, mark: room.mark, passEnv, hidden: [] }),
    signal: context.signal,
  })
  if (answer.ok) return answer
  const message = `engine ${choice.name}: ${answer.message}`
  if (answer.kind === 'unreachable') throw new IncompleteError(message, answer.fix)
  throw new UserError(message, answer.fix)
}

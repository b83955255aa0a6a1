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

/** Who is to be asked, by the flag that names its model: a mistake is that flag's. */
type Asked = Readonly<Partial<Record<'--model' | '--judge' | '--proposer', EngineChoice | null>>>

/** Probes each distinct choice once; by its JSON. Throws UserError (binary, credentials, model) or IncompleteError (unreachable). */
export async function preflight(
  asked: Asked,
  passEnv: readonly string[],
  context: FlowContext,
): Promise<ReadonlyMap<string, ReadyProbe>> {
  const probes = new Map<string, ReadyProbe>()
  for (const [flag, choice] of Object.entries(asked)) {
    const name = JSON.stringify(choice)
    if (choice && !probes.has(name)) probes.set(name, await probe({ choice, flag }, passEnv, context))
  }
  return probes
}

const roles: Readonly<Record<string, string>> = { '--judge': 'judge', '--proposer': 'proposer' }

async function probe(
  { choice, flag }: { choice: EngineChoice; flag: string },
  passEnv: readonly string[],
  context: FlowContext,
): Promise<ReadyProbe> {
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
  const message = `${roles[flag] ?? 'engine'} ${choice.name}: ${answer.message}`
  const fix = choice.base_url === undefined ? answer.fix : ofFlag(answer.fix, engine.address)
  if (answer.kind === 'unreachable') throw new IncompleteError(message, fix)
  throw new UserError(message, fix?.replace('--model', flag) ?? null)
}

/** The flag in place of the variable that it was taken before. */
function ofFlag(fix: string | null, variable: string | undefined): string | null {
  if (fix === null || variable === undefined) return fix
  return fix.replace(new RegExp(`${variable}( (and|or) --base-url)?( if (that|one) is set)?`), '--base-url')
}

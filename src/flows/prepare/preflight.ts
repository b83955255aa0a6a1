/** Checks that engine and judge are available, before any paid call. A real start throws the first reason to refuse it; a dry run lists all. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { IncompleteError, UserError } from '../../base/errors/error.ts'
import { openTempDir, type TempDir } from '../../base/fs/temp_dir.ts'
import type { Probe } from '../../engines/engine.ts'
import { findAddressVariable, selectCredentials } from '../../engines/models/base_url.ts'
import { findEngine } from '../../engines/table.ts'
import { buildRunEnvironment } from '../../phases/2-run/workspace/run_environment.ts'
import type { FlowContext } from '../flow_context.ts'

export type ReadyProbe = Extract<Probe, { ok: true }>

/** The engines to probe, by the flag that sets their model: errors name that flag. */
type ProbeFlag = '--model' | '--judge' | '--user' | '--proposer' | '--certify-judge' | '--confirm-on'

type ProbeTargets = Readonly<Partial<Record<ProbeFlag, EngineChoice | null>>>

/**
 * Probes each distinct choice once; results by its JSON. Throws UserError (binary, credentials, model) or IncompleteError (unreachable).
 * Skips `auto`: choosing the engine already refused it.
 */
export async function preflight(
  asked: ProbeTargets,
  passEnv: readonly string[],
  context: FlowContext,
  refuse: OnRefusal = throwRefusal,
): Promise<ReadonlyMap<string, ReadyProbe>> {
  const probes = new Map<string, ReadyProbe>()
  const seen = new Set<string>()
  for (const [flag, choice] of Object.entries(asked)) {
    const name = JSON.stringify(choice)
    if (!choice || choice.name === 'auto' || seen.has(name)) continue
    seen.add(name)
    const ready = await attemptStep(refuse, () => probe({ choice, flag }, passEnv, context))
    if (ready !== null) probes.set(name, ready)
  }
  return probes
}

const roles: Readonly<Record<string, string>> = {
  '--judge': 'judge',
  '--user': 'user model',
  '--proposer': 'proposer',
  '--certify-judge': 'judge of the certification',
}

/** `place`: the home of the probed program. */
export async function probeEngine(
  choice: EngineChoice,
  { place, passEnv }: { place: Pick<TempDir, 'path' | 'mark'>; passEnv: readonly string[] },
  { env, signal }: Pick<FlowContext, 'env' | 'signal'>,
): Promise<Probe> {
  const engine = findEngine(choice.name)
  return await engine.probe({
    model: choice.model,
    command: choice.command ?? null,
    credentials: selectCredentials(engine, choice, env),
    env: buildRunEnvironment({ user: env, home: place.path, mark: place.mark, passEnv, hidden: [] }),
    signal,
  })
}

async function probe(
  { choice, flag }: { choice: EngineChoice; flag: string },
  passEnv: readonly string[],
  context: FlowContext,
): Promise<ReadyProbe> {
  await using place = await openTempDir()
  const answer = await probeEngine(choice, { place, passEnv }, context)
  if (answer.ok) return answer
  const message = `${roles[flag] ?? 'engine'} ${choice.name}: ${answer.message}`
  const fix =
    choice.base_url === undefined
      ? answer.fix
      : suggestFlag(answer.fix, findAddressVariable(findEngine(choice.name), choice))
  if (answer.kind === 'unreachable') throw new IncompleteError(message, fix)
  throw new UserError(message, fix?.replace('--model', flag) ?? null)
}

/** Names the flag instead of the environment variable that it overrides. */
function suggestFlag(fix: string | null, variable: string | undefined): string | null {
  if (fix === null || variable === undefined) return fix
  return fix.replace(new RegExp(`${variable}( (and|or) --base-url)?( if (that|one) is set)?`), '--base-url')
}

export type StartRefusal = UserError | IncompleteError

/** Takes a reason; returns only if nothing is going to start. */
export type OnRefusal = (reason: StartRefusal) => void

/** For a real start. */
export const throwRefusal: OnRefusal = (reason) => {
  throw reason
}

/** For plans that never start. */
export const ignoreRefusals: OnRefusal = () => {}

/** Runs a step; passes a refusal that it throws to `refuse` and returns null. Other errors are rethrown. */
export async function attemptStep<R>(refuse: OnRefusal, step: () => Promise<R> | R): Promise<R | null> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof UserError || error instanceof IncompleteError)) throw error
    refuse(error)
    return null
  }
}

/** Chooses where Harbor tasks run: in containers of Docker or Podman, or with bubblewrap on this machine. */
import type { HarborBackend } from '../../../schemas/harbor_task.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { probeContainerClient } from '../../base/container/client.ts'
import { UserError } from '../../base/errors/error.ts'
import { noSandboxWish, probeSandbox, type SandboxWish } from '../../base/sandbox/choose.ts'
import { isSystemPath } from '../../base/sandbox/system.ts'
import { selectCredentials } from '../../engines/models/base_url.ts'
import { findEngine } from '../../engines/table.ts'
import type { FlowContext } from '../flow_context.ts'

/** --backend. */
export type BackendWish = HarborBackend | 'auto'

export interface BackendRequest {
  /** Absent: auto. */
  backend: BackendWish | undefined
  sandbox: SandboxWish | null | undefined
  env: FlowContext['env']
  signal: AbortSignal
}

/** The backend, and a line for a person. Throws UserError where it does not work here. */
export async function chooseBackend(
  file: string,
  request: BackendRequest,
): Promise<{ backend: HarborBackend; reason: string }> {
  const { backend = 'auto', env, signal } = request
  if (backend === 'plain') return await choosePlain(file, request)
  for (const engine of backend === 'auto' ? (['docker', 'podman'] as const) : [backend]) {
    const probe = await probeContainerClient(engine, { env, signal })
    if (probe.ok) return { backend: engine, reason: `Harbor tasks: containers of ${probe.client.program}` }
    if (backend !== 'auto') throw new UserError(`--backend ${backend}: ${probe.message}`, probe.fix)
  }
  return await choosePlain(file, request)
}

async function choosePlain(
  file: string,
  { sandbox, env }: BackendRequest,
): Promise<{ backend: HarborBackend; reason: string }> {
  const problem = `${file}: Harbor tasks write to absolute paths, which needs a sandbox or a container`
  if ((sandbox ?? noSandboxWish).mode === 'off')
    throw new UserError(problem, 'leave out --sandbox off, or start Docker or Podman')
  const probe = await probeSandbox(env.PATH ?? '')
  if (probe.ok && probe.mechanism === 'bubblewrap')
    return { backend: 'plain', reason: 'Harbor tasks: bubblewrap, with the packages of this machine' }
  throw new UserError(
    `${problem}: ${probe.ok ? 'Seatbelt cannot show other paths' : probe.message}`,
    probe.ok ? 'start Docker or Podman, or use Linux with bubblewrap' : `start Docker or Podman, or ${probe.fix}`,
  )
}

/** Throws UserError for an agent whose process can't work in the containers of the plan's tasks. */
export async function refuseOutsideAgents(
  { runs, options }: Plan,
  wish: SandboxWish | null | undefined,
  env: FlowContext['env'],
): Promise<void> {
  const isInContainer = runs.some(({ harbor }) => harbor !== undefined && harbor.backend !== 'plain')
  if (!isInContainer || options.engine.name === 'auto') return
  const { name, model, command = null } = options.engine
  const engine = findEngine(name)
  const credentials = selectCredentials(engine, options.engine, env)
  const servers = engine.reaches?.({ model, command, credentials }) ?? []
  if (servers.length > 0 && wish?.network !== 'open') {
    throw new UserError(
      `--engine ${name} runs inside the containers of Harbor tasks, which have no network, so it can't reach its model`,
      'add --network open, or choose an engine that calls its model from outside: anthropic or openai',
    )
  }
  const passed = Object.fromEntries(Object.entries(env).flatMap(([key, value]) => (value ? [[key, value]] : [])))
  const programs = (await engine.findPrograms?.({ command, env: passed, credentials })) ?? []
  const ofSystem = command === null ? programs.find((program) => isSystemPath(program)) : undefined
  if (ofSystem === undefined) return
  throw new UserError(
    `--engine ${name}: ${ofSystem} is in a folder of the system, which a container has itself`,
    'install the agent in a folder of your own, such as npm install --prefix ~/agents, and put its .bin first on PATH',
  )
}

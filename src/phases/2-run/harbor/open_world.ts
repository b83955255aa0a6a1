/** Opens the world of a Harbor task by the backend that was chosen for it. */
import type { HarborBackend } from '../../../../schemas/harbor_task.ts'
import { createPlainWorld } from './plain_world.ts'
import type { HarborWorld, WorldRequest } from './world.ts'

type OpenWorld = (request: WorldRequest) => Promise<HarborWorld>

const backends: Readonly<Partial<Record<HarborBackend, OpenWorld>>> = { plain: createPlainWorld }

/** Lays out the folders; builds nothing yet. Throws SetupError when the backend does not work here. */
export async function openWorld(request: WorldRequest): Promise<HarborWorld> {
  const open = backends[request.task.backend ?? 'plain']
  if (open === undefined) throw new Error(`no backend ${request.task.backend}`)
  return await open(request)
}

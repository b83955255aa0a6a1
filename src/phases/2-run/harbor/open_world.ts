/** Opens the world of a Harbor task with the backend that its plan names. */
import type { HarborBackend } from '../../../../schemas/harbor_task.ts'
import { createContainerWorld } from './container_world.ts'
import { createPlainWorld } from './plain_world.ts'
import type { HarborWorld, WorldRequest } from './world.ts'

type OpenWorld = (request: WorldRequest) => Promise<HarborWorld>

const backends: Readonly<Record<HarborBackend, OpenWorld>> = {
  plain: createPlainWorld,
  docker: (request) => createContainerWorld(request, 'docker'),
  podman: (request) => createContainerWorld(request, 'podman'),
}

/** Lays out the folders; builds nothing yet. Throws SetupError when the backend does not work here. */
export async function openWorld(request: WorldRequest): Promise<HarborWorld> {
  return await backends[request.task.backend ?? 'plain'](request)
}

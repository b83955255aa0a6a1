/** The engine that makes a run, as its spec asks for it. */
import type { RunSpec } from '../../schemas/plan.ts'
import type { Engine } from '../engines/engine.ts'
import { stopAtRead } from '../engines/stop_at_read.ts'
import { engineNamed } from '../engines/table.ts'

export function engineOf(spec: RunSpec): Engine {
  const engine = engineNamed(spec.engine.name)
  return spec.stop_at === undefined || spec.skill === null ? engine : stopAtRead(engine, spec.skill.name)
}

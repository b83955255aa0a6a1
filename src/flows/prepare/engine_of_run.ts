/** Resolves the engine of a run from its spec. */
import type { RunSpec } from '../../../schemas/plan.ts'
import { stopAtRead } from '../../engines/answers/stop_at_read.ts'
import type { Engine } from '../../engines/engine.ts'
import { findEngine } from '../../engines/table.ts'

export function resolveRunEngine(spec: RunSpec): Engine {
  const engine = findEngine(spec.engine.name)
  if (spec.stop_at === undefined || spec.skill === null) return engine
  return stopAtRead(engine, spec.stop_at === 'any_skill_read' ? null : spec.skill.name)
}

/** The temperature that a suite sets for the agent's model, as all APIs accept it. */
import type { EngineTask } from '../engine.ts'

/** Empty if the suite sets none: models differ in what they accept. */
export function temperatureSetting({ environment }: EngineTask): { temperature?: number } {
  return environment?.temperature === undefined ? {} : { temperature: environment.temperature }
}

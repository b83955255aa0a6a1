/** The temperature that a suite wants of the agent's model, as all APIs take it. */
import type { EngineTask } from '../engine.ts'

/** Empty where it wants none: models differ in what they take. */
export function temperatureOf({ environment }: EngineTask): { temperature?: number } {
  return environment?.temperature === undefined ? {} : { temperature: environment.temperature }
}

/** Notes on a judge of the agent's own model family, which favours the agent. */
import { sharedFamily } from '../../../../engines/models/model_family.ts'
import type { NoteParts } from './note_parts.ts'

export function judgeNotes({ metadata, runs }: NoteParts): string[] {
  const { engine, judge, executor_model: executor } = metadata
  const isJudged = runs.some((run) => run.expectations.some(({ decided_by: by }) => by === 'judge'))
  if (!isJudged || typeof engine !== 'string' || typeof judge !== 'string') return []
  const [name = '', ...model] = judge.split(':')
  const agents = executor.endsWith(' default') ? [null] : executor.split(', ')
  const asked = { name, model: model.join(':') || null }
  const family = agents.map((one) => sharedFamily({ name: engine, model: one }, asked)).find((one) => one !== null)
  if (family === undefined) return []
  return [
    `The judge ${judge} is from the agent's model family (${family}), and judges favour their own: grade again with --judge from another provider.`,
  ]
}

/** Notes on the judge: one of the agent's own family favours it. */
import { sharedFamily } from '../../../engines/family.ts'
import type { NoteGroup, NoteParts } from '../notes.ts'

export function judgeNotes({ metadata, runs }: NoteParts): NoteGroup[] {
  const { engine, judge, executor_model: executor } = metadata
  const isJudged = runs.some((run) => run.expectations.some(({ decided_by: by }) => by === 'judge'))
  if (!isJudged || typeof engine !== 'string' || typeof judge !== 'string') return []
  const [name = '', ...model] = judge.split(':')
  const agents = executor.endsWith(' default') ? [null] : executor.split(', ')
  const asked = { name, model: model.join(':') || null }
  const family = agents.map((one) => sharedFamily({ name: engine, model: one }, asked)).find((one) => one !== null)
  if (family === undefined) return []
  const note = `The judge ${judge} is of the agent's own family (${family}), and judges favour their own - grade again with --judge of another provider to see whether the verdicts hold`
  return [{ notes: [note], more: '' }]
}

/** script_executed: a command of the agent's started a script that lies in the skill's folder. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import { capped, named } from './evidence.ts'
import { meant } from './meant.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'
import { startedIn } from './started.ts'

/** A call counts that came to its end: one that a hook blocked started nothing. */
export async function scriptExecuted(check: CheckOf<'script_executed'>, scene: CheckScene): Promise<CheckVerdict> {
  const { skill } = scene
  if (skill === null) return { error: 'it is not known which skill is meant' }
  if (!skill.installed) return { passed: false, evidence: 'the agent had no such skill' }
  const events = await scene.events()
  const started = events.flatMap((event, index) =>
    event.type === 'tool_call' && isDone(events, index, event.id)
      ? startedIn(event.input, skill.name).map((script) => ({ script, line: index + 1 }))
      : [],
  )
  const scripts = [...new Set(started.map(({ script }) => script))]
  const wanted = check.script === undefined ? { names: scripts } : await meant(check.script, scripts, scene.signal)
  if ('error' in wanted) return wanted
  const found = started.find(({ script }) => wanted.names.includes(script))
  if (found) return { passed: true, evidence: capped(`transcript.jsonl:${found.line}: ${found.script} was started`) }
  if (!scene.showsTools) return { error: 'the engine does not show which commands the agent ran' }
  return { passed: false, evidence: `no command started it; scripts of the skill that were: ${named(scripts)}` }
}

function isDone(events: readonly TranscriptEvent[], at: number, id: string): boolean {
  const end = events.findIndex((event, index) => index > at && event.type === 'tool_result' && event.id === id)
  const between = events.slice(at, Math.max(at, end))
  return end > at && !between.some((event) => event.type === 'hook' && event.outcome === 'blocked')
}

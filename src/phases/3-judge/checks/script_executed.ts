/** script_executed: a command of the agent started a script in the skill's folder. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText, formatNames } from './inputs/evidence.ts'
import { resolveFileNames } from './inputs/match_files.ts'
import { findStartedScripts } from './inputs/started_scripts.ts'

/** Only a completed call counts: one that a hook blocked started nothing. */
export async function decideScriptExecuted(
  check: CheckOf<'script_executed'>,
  context: CheckContext,
): Promise<CheckVerdict> {
  const { skill } = context
  if (skill === null) return { error: 'the skill under test is unknown' }
  if (!skill.installed) return { passed: false, evidence: 'the agent did not have this skill' }
  const events = await context.events()
  const started = events.flatMap((event, index) =>
    event.type === 'tool_call' && isDone(events, index, event.id)
      ? findStartedScripts(event.input, skill.name).map((script) => ({ script, line: index + 1 }))
      : [],
  )
  const scripts = [...new Set(started.map(({ script }) => script))]
  const wanted =
    check.script === undefined ? { names: scripts } : await resolveFileNames(check.script, scripts, context.signal)
  if ('error' in wanted) return wanted
  const found = started.find(({ script }) => wanted.names.includes(script))
  if (found) return { passed: true, evidence: capText(`transcript.jsonl:${found.line}: ${found.script} was started`) }
  if (!context.showsTools) return { error: 'the engine does not report which commands the agent ran' }
  return { passed: false, evidence: `no command started it; scripts of the skill that were: ${formatNames(scripts)}` }
}

function isDone(events: readonly TranscriptEvent[], at: number, id: string): boolean {
  const end = events.findIndex((event, index) => index > at && event.type === 'tool_result' && event.id === id)
  const between = events.slice(at, Math.max(at, end))
  return end > at && !between.some((event) => event.type === 'hook' && event.outcome === 'blocked')
}

/** agent_blocked: a hook kept the agent from a call. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText, formatNames } from './inputs/evidence.ts'

const beforeCalls: ReadonlySet<string> = new Set(['PreToolUse', 'PermissionRequest'])

/** `blocked: false` inverts the verdict. Undecided if an engine hides its tools and the transcript has no hook. */
export async function decideAgentBlocked(
  check: CheckOf<'agent_blocked'>,
  context: CheckContext,
): Promise<CheckVerdict> {
  const events = await context.events()
  const hooks = events.filter((event) => event.type === 'hook')
  const fits = (event: string) => (check.event === undefined ? beforeCalls.has(event) : event === check.event)
  const blocks = hooks.filter((hook) => hook.outcome === 'blocked' && fits(hook.event))
  const wanted = check.blocked ?? true
  const found = blocks.find(
    ({ tool, text }) =>
      (check.tool === undefined || tool === check.tool) && (check.reason === undefined || text.includes(check.reason)),
  )
  if (found !== undefined) {
    const at = events.indexOf(found) + 1
    return {
      passed: wanted,
      evidence: `transcript.jsonl:${at}: ${found.tool ?? 'a call'} was blocked${exitCode(found)}: ${capText(found.text)}`,
    }
  }
  if (hooks.length === 0 && !context.showsTools)
    return { error: 'the engine does not report whether a hook blocked a call' }
  const others = blocks.map(({ tool = 'a call', text }) => `${tool} (${capText(text, 100)})`)
  const ran = blocks.length > 0 ? `; blocked: ${formatNames(others)}` : describeEnds(hooks)
  return { passed: !wanted, evidence: `no hook blocked ${what(check)}${ran}` }
}

type HookEvent = Extract<TranscriptEvent, { type: 'hook' }>

/** How the hooks ended that blocked nothing: how many, and each exit code once by event and tool. */
function describeEnds(hooks: readonly HookEvent[]): string {
  const ends = hooks.flatMap(({ event, tool, exit_code }) =>
    exit_code === undefined ? [] : `${[event, tool].filter(Boolean).join(' of ')} exited ${exit_code}, not 2`,
  )
  const codes = ends.length === 0 ? '' : ` (${formatNames([...new Set(ends)])})`
  return `; hooks that ran: ${hooks.length}${codes}`
}

/** Empty: the engine does not report the code. */
function exitCode({ exit_code }: HookEvent): string {
  return exit_code === undefined ? '' : ` (the hook exited ${exit_code})`
}

function what({ tool, reason, event }: CheckOf<'agent_blocked'>): string {
  const subject = event === undefined ? 'a call' : `anything at ${event}`
  const which = tool === undefined ? subject : `a call of ${tool}`
  return reason === undefined ? which : `${which} with a reason that contains "${capText(reason, 120)}"`
}

/** agent_blocked: a hook kept the agent from a call. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { capped, named } from './evidence.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'

const beforeCalls: ReadonlySet<string> = new Set(['PreToolUse', 'PermissionRequest'])

/** `blocked: false` turns the verdict. Without a hook in the transcript of an engine that does not show what it does, nothing is known. */
export async function agentBlocked(check: CheckOf<'agent_blocked'>, scene: CheckScene): Promise<CheckVerdict> {
  const events = await scene.events()
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
      evidence: `transcript.jsonl:${at}: ${found.tool ?? 'a call'} was blocked: ${capped(found.text)}`,
    }
  }
  if (hooks.length === 0 && !scene.showsTools)
    return { error: 'the engine does not show whether a hook blocked a call' }
  const others = blocks.map(({ tool = 'a call', text }) => `${tool} (${capped(text, 100)})`)
  const ran = blocks.length > 0 ? `; blocked: ${named(others)}` : `; hooks that ran: ${hooks.length}`
  return { passed: !wanted, evidence: `no hook blocked ${what(check)}${ran}` }
}

function what({ tool, reason, event }: CheckOf<'agent_blocked'>): string {
  const subject = event === undefined ? 'a call' : `anything at ${event}`
  const which = tool === undefined ? subject : `a call of ${tool}`
  return reason === undefined ? which : `${which} with a reason that contains "${capped(reason, 120)}"`
}

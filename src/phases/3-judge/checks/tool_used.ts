/** tool_used: the agent called a tool, so many times. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { callsMeant } from './calls.ts'
import { capped, named } from './evidence.ts'
import { rangeText, within } from './range.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'

const unseen = { error: 'the engine does not show which tools the agent used' }

/** What an engine that shows nothing did show is enough only where more calls would change nothing. */
export async function toolUsed(check: CheckOf<'tool_used'>, scene: CheckScene): Promise<CheckVerdict> {
  const calls = await callsMeant(check, scene)
  if ('error' in calls) return calls
  const { meant, tools } = calls
  const { times = { min: 1 } } = check
  const passed = within(times, meant.length)
  const isSure = scene.showsTools || (passed && times.max === undefined && times.equals === undefined)
  if (!isSure) return unseen
  const [first] = meant
  const said = first === undefined ? `no such call; tools used: ${named(tools)}` : `${meant.length} calls; ${first}`
  return passed
    ? { passed, evidence: capped(said) }
    : { passed, evidence: capped(`${said}; wanted: ${rangeText(times)}`) }
}

export async function toolNotUsed(check: CheckOf<'tool_not_used'>, scene: CheckScene): Promise<CheckVerdict> {
  const calls = await callsMeant(check, scene)
  if ('error' in calls) return calls
  const [first] = calls.meant
  if (first !== undefined) return { passed: false, evidence: capped(first) }
  return scene.showsTools ? { passed: true, evidence: `no such call; tools used: ${named(calls.tools)}` } : unseen
}

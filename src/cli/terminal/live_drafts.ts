/** Formats the progress of drafting cases and of mining sessions. */
import type { FlowEvent } from '../../../schemas/flow_event.ts'

export function draftingText(event: Extract<FlowEvent, { type: 'drafting' }> | Mining): string {
  if (event.type === 'mining') return miningSteps[event.step](event)
  const { skill_name, by, made, wanted, left_out } = event
  const lost = left_out === 0 ? '' : `, ${left_out} could not be used`
  return made === 0 && left_out === 0
    ? `${skill_name}: ${by} is asked to draft ${wanted} cases`
    : `${skill_name}: ${made} of ${wanted} cases drafted${lost}`
}

const miningSteps = {
  reading: ({ done, total }) => `reading sessions: ${done} of ${total} files`,
  comparing: ({ total }) => `comparing the tasks of ${total} sessions`,
  phrasing: ({ done, total }) => `phrasing expectations: ${done} of ${total} cases`,
} as const satisfies Record<Mining['step'], (event: Mining) => string>

type Mining = Extract<FlowEvent, { type: 'mining' }>

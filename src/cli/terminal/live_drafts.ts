/** Formats the progress of drafting cases. */
import type { FlowEvent } from '../../../schemas/flow_event.ts'

export function draftingText({ skill_name, by, made, wanted, left_out }: Extract<FlowEvent, { type: 'drafting' }>) {
  const lost = left_out === 0 ? '' : `, ${left_out} could not be used`
  return made === 0 && left_out === 0
    ? `${skill_name}: ${by} is asked to draft ${wanted} cases`
    : `${skill_name}: ${made} of ${wanted} cases drafted${lost}`
}

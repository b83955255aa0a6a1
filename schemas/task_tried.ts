/** The event of `check --oracle --null`: a Harbor task was tried without an agent. */
import * as z from 'zod'

export const taskTried = z.object({
  type: z.literal('task_tried'),
  name: z.string().describe('the Harbor task'),
  tried: z.number().int().positive().describe('tasks tried so far, this one included'),
  wanted: z.number().int().positive().describe('tasks to try'),
  sound: z.boolean(),
  reason: z.string().nullable().describe('why it is not sound; null: it is'),
})

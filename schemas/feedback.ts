/** `feedback.json`: what a person wrote about runs in the review page. */
import * as z from 'zod'

export const feedback = z.looseObject({
  reviews: z.array(
    z.looseObject({
      run_id: z.string().describe('the relative run path with / written as -'),
      feedback: z.string(),
      timestamp: z.string(),
    }),
  ),
  status: z.string(),
})

export type Feedback = z.infer<typeof feedback>

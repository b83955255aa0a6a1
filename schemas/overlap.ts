/** Two skills whose descriptions an agent may confuse, found without a model. */
import * as z from 'zod'

export const descriptionOverlap = z.object({
  a: z.string().describe('name of the first skill'),
  b: z.string(),
  similarity: z
    .number()
    .min(0)
    .max(1)
    .describe('cosine of the words of both descriptions, rare words weighing more; 1: the same words'),
  words: z.array(z.string()).describe('shared words that weigh most, at most eight'),
  phrases: z.array(z.string()).describe('trigger phrases in quotation marks that both descriptions have'),
  delimited: z.boolean().describe('one of the descriptions names the other skill, so it says which one to use'),
})

export type DescriptionOverlap = z.infer<typeof descriptionOverlap>

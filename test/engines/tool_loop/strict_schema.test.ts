/** The strict form of schemas: what OpenAI's structured answers demand of every object. */
import { expect, test } from 'vitest'
import * as z from 'zod'
import { toStrictSchema } from '../../../src/engines/tool_loop/strict_schema.ts'
import { judgeAnswer } from '../../../src/phases/3-judge/judge/judge_answer.ts'

test.each([
  [
    { type: 'object', properties: { a: { type: 'string' } } },
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
  ],
  [
    { type: 'object', properties: { default: { type: 'string', default: 'x' } }, required: [] },
    { type: 'object', properties: { default: { type: 'string' } }, required: ['default'], additionalProperties: false },
  ],
  [
    { anyOf: [{ type: 'array', items: { type: 'object', properties: {} } }, { enum: ['format'] }] },
    {
      anyOf: [
        { type: 'array', items: { type: 'object', properties: {}, required: [], additionalProperties: false } },
        { enum: ['format'] },
      ],
    },
  ],
])('%j', (schema, strict) => expect(toStrictSchema(schema)).toEqual(strict))

test.each([[{ type: 'object' }], [{ type: 'array', items: { type: 'object', additionalProperties: true } }]])(
  'an open object has none: %j',
  (schema) => expect(toStrictSchema(schema)).toBeNull(),
)

test("a judge's answer has one, and every object in it is closed and complete", () => {
  const strict = toStrictSchema(z.toJSONSchema(judgeAnswer, { io: 'input' }))
  const objects = JSON.stringify(strict).match(/"type":"object"/g)?.length
  expect(objects).toBeGreaterThan(3)
  expect(JSON.stringify(strict).match(/"additionalProperties":false/g)?.length).toBe(objects)
  expect(JSON.stringify(strict)).not.toMatch(/"default"|\$schema/)
  expect(strict).toMatchObject({ required: ['verdicts', 'rubric', 'claims', 'user_notes_summary', 'eval_feedback'] })
})

/** Reads leaks.yaml. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'

const texts = z.array(z.string())
/** The prompt, then what is expected. */
const cases = z.array(z.tuple([z.string()]).rest(z.string()))
const scene = z.strictObject({
  skill: z.string(),
  seen: cases,
  held: cases,
  leaks: z.array(z.strictObject({ kind: z.string(), text: z.string(), file: z.string().optional() })),
  missed: texts.default([]),
  honest: texts,
})

export type LeakScene = z.infer<typeof scene>

export const leakScenes = z
  .record(z.string(), scene)
  .parse(parse(readFileSync(path.join(import.meta.dirname, 'leaks.yaml'), 'utf8')))

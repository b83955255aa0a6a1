/** `watch/<engine>-<model>/`: the kept level of a skill (`baseline.json`) and the nights since (`watch.json`). */
import * as z from 'zod'
import { engineChoice } from './plan.ts'

const share = z.number().min(0).max(1)
const dollars = z.number().nullable().describe('null: not known')

export const watchedRun = z.object({
  eval_id: z.number().int(),
  score: share.describe('pass rate of the run'),
})

/** What must stay the same for nights to be compared with the baseline. */
export const watchSubject = z.object({
  skill: z.object({ name: z.string(), sha256: z.string() }),
  suite_sha256: z.string(),
  engine: engineChoice,
  judge: engineChoice.nullable(),
  settings_sha256: z.string().describe('of limits, activation and judging, which shape a run as well'),
})

export const watchBaseline = z.object({
  schema_version: z.literal(1),
  created_at: z.iso.datetime(),
  of: watchSubject,
  model: z.string().describe('the model that the runs report'),
  cases: z.array(z.object({ eval_id: z.number().int(), eval_name: z.string() })),
  runs: z.array(watchedRun).describe('graded runs'),
  seed: z.number().int().nonnegative().describe('of the random order of equal totals'),
  folder: z.string().describe('its benchmark, relative to the folder of the watch'),
  cost_usd: dollars,
})

export const watchedNight = z.object({
  at: z.iso.datetime(),
  folder: z.string(),
  planned: z.number().int().positive(),
  runs: z.array(watchedRun).describe('graded runs; infrastructure failures are not among them'),
  model: z.string().describe('the model that the runs report'),
  cost_usd: dollars,
  left_out: z.string().optional().describe('why it counts neither as evidence nor for the level; absent: it counts'),
  dismissed: z.literal(true).optional().describe('true: its alarm was dismissed, and the evidence starts again'),
  level: share.nullable().describe('mean pass rate'),
  expected: share.nullable().describe('what earlier runs of the same cases let expect'),
  p_value: z
    .number()
    .describe(
      'how low the level, raised by the tolerance, is among earlier runs of the same cases; not below uniform if nothing changed',
    ),
  e_value: z.number().describe('the factor of this night'),
  evidence: z.number().describe('that the level fell: it alarms at quiet_nights'),
  alarm: z.boolean(),
})

export const watchFile = z.object({
  schema_version: z.literal(1),
  quiet_nights: z.number().int().positive().describe('at most one false alarm is expected in this many nights'),
  detect: share.describe('size of the fall to find soonest'),
  status: z.enum(['quiet', 'alarm']),
  since: z.number().int().positive().nullable().describe('with an alarm: the night in which the fall probably began'),
  nights: z.array(watchedNight).describe('oldest first; the first is night 1'),
})

export type WatchSubject = z.infer<typeof watchSubject>
export type WatchBaseline = z.infer<typeof watchBaseline>
export type WatchedNight = z.infer<typeof watchedNight>
export type Watch = z.infer<typeof watchFile>

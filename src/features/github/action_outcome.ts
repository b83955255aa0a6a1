/** What a job of the GitHub Action found: written by one step, read by the step that comments. */
import path from 'node:path'
import * as z from 'zod'
import { type Benchmark, benchmark } from '../../../schemas/benchmark.ts'
import { benchmarkIndex } from '../../../schemas/benchmark_index.ts'
import { readJson } from '../../base/json/json.ts'
import { benchmarkPaths, indexPaths } from '../../store/paths.ts'

const gate = z.object({
  gate: z.string(),
  passed: z.boolean(),
  value: z.union([z.number(), z.string(), z.boolean(), z.null()]),
  message: z.string(),
})
const problem = z.object({ message: z.string(), fix: z.string().nullable() })

export const actionOutcome = z.object({
  status: z.enum(['benched', 'nothing', 'skipped', 'failed']),
  problem: problem.nullable().describe('why there is no benchmark'),
  exit_code: z.number().int(),
  report: z.string().nullable().describe('the page, absolute'),
  skills: z.array(
    z.object({ name: z.string(), folder: z.string().nullable(), error: problem.nullable(), gates: z.array(gate) }),
  ),
})

export type ActionOutcome = z.infer<typeof actionOutcome>

/** The last line that `bench --json` prints. */
const lastLine = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('result'),
    exit_code: z.number().int(),
    message: z.string().optional().describe('why nothing was run'),
    folder: z.string().optional(),
    metadata: z.looseObject({ skill_name: z.string() }).optional(),
    gates: z.array(gate).optional(),
  }),
  benchmarkIndex.extend({
    type: z.literal('index'),
    exit_code: z.number().int(),
    folder: z.string(),
    gates: z.array(z.object({ name: z.string(), gates: z.array(gate) })),
  }),
  problem.extend({ type: z.literal('error'), exit_code: z.number().int() }),
])

/** `value`: the last line as JSON; `code`: the exit code, which counts more. */
export function toActionOutcome(value: unknown, code: number): ActionOutcome {
  const parsed = lastLine.safeParse(value)
  const none = { exit_code: code, report: null, skills: [], problem: null }
  if (!parsed.success) {
    const message = `bench ended with exit code ${code} and without a result`
    return { ...none, status: 'failed', problem: { message, fix: 'see the log of the job' } }
  }
  const line = parsed.data
  switch (line.type) {
    case 'error':
      return { ...none, status: 'failed', problem: { message: line.message, fix: line.fix } }
    case 'result': {
      const { folder, metadata, gates = [], message = 'Nothing to do.' } = line
      if (folder === undefined || metadata === undefined)
        return { ...none, status: 'nothing', problem: { message, fix: null } }
      const place = path.resolve(folder)
      const skills = [{ name: metadata.skill_name, folder: place, error: null, gates }]
      return { ...none, status: 'benched', report: benchmarkPaths(place).report, skills }
    }
    case 'index': {
      const gatesOf = new Map(line.gates.map(({ name, gates }) => [name, gates]))
      const skills = line.rows.map(({ skill, cell, folder, error }) => {
        const name = [skill, cell].filter(Boolean).join(' ')
        const place = folder === null ? null : path.resolve(line.folder, folder)
        return { name, folder: place, error, gates: gatesOf.get(name) ?? [] }
      })
      return { ...none, status: 'benched', report: indexPaths(path.resolve(line.folder)).page, skills }
    }
  }
}

export async function readOutcomeBenchmarks({
  skills,
}: Pick<ActionOutcome, 'skills'>): Promise<(ActionOutcome['skills'][number] & { benchmark: Benchmark | null })[]> {
  return await Promise.all(
    skills.map(async (one) => {
      const file = one.folder === null ? null : benchmarkPaths(one.folder).benchmark
      return { ...one, benchmark: file === null ? null : await readJson(benchmark, file) }
    }),
  )
}

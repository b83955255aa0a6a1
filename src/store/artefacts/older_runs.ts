/** The older runs of a benchmark: those set aside because they were run again, and what tests of them for drift found. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { type OlderRunsFile, olderRunsFile } from '../../../schemas/older_runs.ts'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import { benchmarkPaths, runPaths } from '../paths.ts'
import type { ResultSigner } from '../signing/signer.ts'
import { writeSigned } from '../signing/signer.ts'
import { type CountedRun, readCountedRun } from '../store.ts'
import { type OnDamage, tryReadArtefact } from './damage.ts'

/** null: the benchmark had no older runs. */
export function readOlderRuns(folder: string, onDamage?: OnDamage): OlderRunsFile | null {
  return tryReadArtefact(olderRunsFile, benchmarkPaths(folder).olderTests, onDamage)
}

export async function writeOlderRuns(folder: string, value: OlderRunsFile, signer: ResultSigner): Promise<void> {
  await writeSigned(olderRunsFile, { file: benchmarkPaths(folder).olderTests }, { value, signer })
}

export function listRunsSetAside(folder: string, { runs }: Pick<Plan, 'runs'>): RunSpec[] {
  const { older } = benchmarkPaths(folder)
  return existsSync(older) ? runs.filter(({ run_id }) => existsSync(runPaths(older, run_id).record)) : []
}

export function setRunAside(folder: string, runId: string): void {
  const target = runPaths(benchmarkPaths(folder).older, runId).folder
  rmSync(target, { recursive: true, force: true })
  mkdirSync(path.dirname(target), { recursive: true })
  renameSync(runPaths(folder, runId).folder, target)
}

export function removeRun(folder: string, runId: string): void {
  rmSync(runPaths(folder, runId).folder, { recursive: true, force: true })
}

export function readRunSetAside(folder: string, runId: string): CountedRun | null {
  return readCountedRun(benchmarkPaths(folder).older, runId)
}

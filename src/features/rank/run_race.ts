/** Runs the blocks up to the next look, and leaves out contenders that can't win any more, until the race ends. */

import type { FlowEvent } from '../../../schemas/flow_event.ts'
import type { Stop } from '../../../schemas/limits.ts'
import type { RunSpec } from '../../../schemas/plan.ts'
import type { WalkedFile } from '../../base/fs/files.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { openLimitedBench, queueInPairs, resolveSharedLimits } from '../../flows/limits/limited_bench.ts'
import { execute, noRunCache } from '../../flows/run/execute.ts'
import { listHiddenPaths } from '../../flows/sandbox/start_sandbox.ts'
import type { PreparedRank, RankRequest } from './prepare_rank.ts'
import { contenderFolder } from './rank_plan.ts'
import { type RaceSoFar, readRace } from './read_race.ts'

export interface RaceRun {
  prepared: PreparedRank
  /** Files of each skill by its sha256. */
  skillFiles: ReadonlyMap<string, readonly WalkedFile[]>
  /** The folder of the ranking, absolute. */
  folder: string
  sandbox: SandboxChoice
  request: RankRequest
  /** Called after each look, and at the end. */
  write: (soFar: RaceSoFar, stop: Stop | null) => Promise<void>
}

/** Throws the abort reason if interrupted at once; finished runs are kept. */
export async function runRace(running: RaceRun, context: FlowContext): Promise<void> {
  const { prepared, folder, sandbox, skillFiles, request, write } = running
  const { plan, workspace } = prepared
  const named = nameContenderRuns(prepared, context)
  using limited = await openLimitedBench({ plan, folder, workspace, ...resolveSharedLimits(request) }, context)
  let soFar = readRace(folder, prepared, context)
  for (let isOpen = true; isOpen && soFar.race.next !== null; ) {
    const due = selectDue(prepared, soFar)
    const { isHalted } = await execute(
      {
        plan: { ...plan, runs: due },
        folder,
        skillFiles,
        passEnv: request.passEnv,
        hidden: listHiddenPaths(plan, workspace),
        sandbox,
        concurrency: request.concurrency,
        limited: limited && { ...limited, queue: queueInPairs(due) },
        pace: request.pace,
        queue: queueInPairs(due),
        ...noRunCache,
      },
      named,
    )
    context.signal.throwIfAborted()
    const before = soFar
    soFar = readRace(folder, prepared, context)
    sayLooks(before, soFar, { prepared, context })
    await write(soFar, limited?.stopped() ?? null)
    const hasScores = soFar.race.running.every(
      (one) => (soFar.contenders[one]?.runs ?? 0) > (before.contenders[one]?.runs ?? 0),
    )
    isOpen = !isHalted && !context.drain.aborted && hasScores && soFar.race.looks.length > before.race.looks.length
  }
  await write(soFar, limited?.stopped() ?? null)
}

/** The runs up to the next look, of the contenders that may still win. */
function selectDue({ plan, contenders }: PreparedRank, { race }: RaceSoFar): RunSpec[] {
  const running = new Set(race.running.flatMap((one) => contenders[one]?.folder ?? []))
  return plan.runs.filter((run) => run.run_number <= (race.next ?? 0) && running.has(contenderFolder(run)))
}

/** Events of runs name the contender as their configuration. */
function nameContenderRuns({ contenders }: PreparedRank, context: FlowContext): FlowContext {
  const names = new Map(contenders.map(({ folder, name }) => [folder, name]))
  const emit = (event: FlowEvent) => {
    if (!('run_id' in event)) return context.emit(event)
    context.emit({ ...event, configuration: names.get(contenderFolder(event)) ?? event.configuration })
  }
  return { ...context, emit }
}

function sayLooks(
  before: RaceSoFar,
  { race }: RaceSoFar,
  { prepared, context }: { prepared: PreparedRank; context: FlowContext },
): void {
  const names = (places: readonly number[]) => places.flatMap((one) => prepared.contenders[one]?.name ?? [])
  for (const { blocks, running, stopped } of race.looks.slice(before.race.looks.length)) {
    const { next, status } = race
    context.emit({ type: 'rank_look', blocks, running: names(running), stopped: names(stopped), next, status })
  }
}

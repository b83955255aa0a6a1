/** Chooses who decides the certification: not the judge that the search learned to please, if there is another. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { Certification } from '../../../../schemas/history/certification.ts'
import type { EngineChoice } from '../../../../schemas/plan.ts'
import { UserError } from '../../../base/errors/error.ts'
import { findCrossFamilyJudge, judgeName, resolveJudge } from '../../../engines/models/judge_choice.ts'
import { modelFamily } from '../../../engines/models/model_family.ts'
import type { FlowContext } from '../../flow_context.ts'

export interface CertifyJudge {
  kind: Certification['judge']['kind']
  choice: EngineChoice | null
}

/** `asked`: --certify-judge; `judge`: of the search, null if checks decide everything. Throws UserError if both are the same. */
export async function chooseCertifyJudge(
  asked: string | null,
  judge: EngineChoice | null,
  context: FlowContext,
): Promise<CertifyJudge> {
  if (judge === null) return { kind: 'code', choice: null }
  if (asked === 'none') return { kind: 'code', choice: judge }
  if (asked !== null) {
    const choice = await resolveJudge(asked, judge, context.env)
    if (judgeName(choice) !== judgeName(judge)) return { kind: 'second', choice }
    throw new UserError(
      `--certify-judge "${asked}": the same judge as that of the search`,
      'name a judge of another model family, or none to let only checks decide',
    )
  }
  // of a model of unknown family no other family is known, and a server of its own may serve no other model
  const other = modelFamily(judge) === null ? null : await findCrossFamilyJudge(judge, context.env)
  return other === null ? { kind: 'same', choice: judge } : { kind: 'second', choice: other }
}

/** A second judge decides, and that of the search says where it disagrees. */
export function gradingsPerRun({ kind }: CertifyJudge): number {
  return kind === 'second' ? 2 : 1
}

/** A resume has the judge of the start: another one could be chosen by its verdicts. Throws UserError. */
export function refuseOtherJudge(started: string | undefined, certifier: CertifyJudge): void {
  const now = certifyJudgeName(certifier)
  if (started === undefined || started === now) return
  throw new UserError(
    `--resume: the certification is decided by ${started} since the start of the session, and would be decided by ${now} now`,
    'set the keys of the start again, or start another session in another --workspace',
  )
}

/** `checks`, or engine:model. */
export function certifyJudgeName({ kind, choice }: CertifyJudge): string {
  return kind === 'code' || choice === null ? 'checks' : judgeName(choice)
}

/** How the certification is decided, in one line, before anything is paid. */
export function certifyJudgeText({ kind, choice }: CertifyJudge): string {
  const name = choice === null ? '' : judgeName(choice)
  switch (kind) {
    case 'code':
      return 'certification: decided by checks alone'
    case 'second':
      return `certification: decided by a second judge, ${name}`
    case 'same':
      return `warning: the certification is decided by ${name}, the judge of the search, which edits may learn to please; name another with --certify-judge`
  }
}

/** The benchmark with the verdicts of checks alone. Runs without one are left out. */
export function keepChecked<T extends Pick<Benchmark, 'runs'>>(benchmark: T): T {
  const runs = benchmark.runs.flatMap((run) => {
    const expectations = run.expectations.filter(({ decided_by }) => decided_by?.startsWith('check:'))
    return expectations.length === 0 ? [] : [{ ...run, expectations }]
  })
  return { ...benchmark, runs }
}

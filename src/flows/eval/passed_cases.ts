/** The cache of EVAL.md: skips a case that passed while its subject, text and models are the same. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { type EvalPass, evalPass } from '../../../schemas/eval_pass.ts'
import type { EvalCaseResult } from '../../../schemas/eval_result.ts'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { cachedPass } from '../../phases/4-report/eval/eval_verdict.ts'
import { isSuspicious } from '../../phases/4-report/judge/suspicious_runs.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import type { Damage, OnDamage } from '../../store/artefacts/damage.ts'
import { cachePaths } from '../../store/cache/cache.ts'
import { readValue, sealValue } from '../../store/cache/cache_grading.ts'
import type { EntryName } from '../../store/cache/sealed_entry.ts'
import { findSigner, type ResultSigner } from '../../store/signing/signer.ts'
import type { FlowContext } from '../flow_context.ts'
import { reportForeignResults } from '../workspace/foreign_results.ts'

/** A new number invalidates all stored results. */
const format = 'passes-1'

export interface PassCache {
  /** The plan without runs of cases that passed before. */
  plan: Plan
  /** Those cases, by id. */
  known: ReadonlyMap<number, EvalCaseResult>
  /** Stores new passes; failed cases run again. */
  keep(folder: string, cases: readonly EvalCaseResult[]): Promise<void>
}

export function openPassCache(
  plan: Plan,
  { workspace, now, use }: { workspace: string; now: Date; use: boolean },
  context: Pick<FlowContext, 'env' | 'emit'>,
): PassCache {
  const signer = findSigner(context.env)
  let foreign = 0
  const damage = (found: Damage) => {
    if (found.foreign) foreign += 1
  }
  const keys = new Map<number, string>()
  const known = new Map<number, EvalCaseResult>()
  const byId = new Map(plan.cases.map((one) => [one.eval_id, one]))
  for (const spec of use ? plan.runs : []) {
    const one = byId.get(spec.eval_id)
    if (one?.judging?.kind !== 'verdict') continue
    const key = passCacheKey(plan, spec, one)
    keys.set(one.eval_id, key)
    const pass = readPass(workspace, key, { signer, damage })
    if (pass !== null) known.set(one.eval_id, cachedPass(one, pass))
  }
  if (foreign > 0) {
    const place = cachePaths(workspace).passes
    reportForeignResults({ place, what: formatPlural(foreign, 'passed case') }, context)
  }
  const runs = plan.runs.filter(({ eval_id }) => !known.has(eval_id))
  return {
    plan: known.size === 0 ? plan : { ...plan, runs, calls: { agent_runs: runs.length, judge_calls: runs.length } },
    known,
    async keep(folder, cases) {
      for (const one of cases) {
        const key = keys.get(one.eval_id)
        if (key === undefined || one.verdict !== 'pass' || one.cached || one.judge === null) continue
        // a stored result would show only the pass, not the suspicion
        if (isSuspicious(one)) continue
        const { eval_name, warnings, output_snippet } = one
        const { reason, engine, model } = one.judge
        const judge = { reason, engine, model }
        const at = now.toISOString()
        const pass = { schema_version: 1 as const, key, eval_name, at, folder, warnings, judge, output_snippet }
        await keepPass(workspace, pass, signer)
      }
    },
  }
}

/** Covers everything an agent and a judge see, and the source file that the case is about; contains no path. */
function passCacheKey({ options }: Plan, spec: RunSpec, one: SuiteCase): string {
  const { eval_name, expectations, judging, source } = one
  const of = { run: spec.key, eval_name, expectations, judging, judge: options.judge, source: source?.sha256 ?? null }
  return sha256(canonicalJson({ format, ...of }))
}

function describePass(workspace: string, key: string, signer: ResultSigner) {
  const name: EntryName = { kind: 'pass', key }
  return { name, file: path.join(cachePaths(workspace).passes, key), signer }
}

/** null: none, or reported: damaged, or somebody else's. */
function readPass(workspace: string, key: string, on: { signer: ResultSigner; damage: OnDamage }): EvalPass | null {
  return readValue(evalPass, describePass(workspace, key, on.signer), on.damage)
}

async function keepPass(workspace: string, pass: EvalPass, signer: ResultSigner): Promise<void> {
  const { name, file } = describePass(workspace, pass.key, signer)
  await mkdir(path.dirname(file), { recursive: true })
  await writeAtomic(file, sealValue(name, pass, signer))
}

/** The tools that only read: check, result and diff. */
import * as z from 'zod'
import { noSandboxWish } from '../../base/sandbox/choose.ts'
import { checkSkills } from '../../flows/check/check.ts'
import { diff } from '../../flows/diff/diff.ts'
import { diffHeadline } from '../../phases/4-report/diff/diff_text.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { place } from '../arguments.ts'
import { readStoredResult, resolveBenchmark } from '../results/read_result.ts'
import { skillFiles } from '../roots.ts'
import type { McpSession } from '../session.ts'
import { planningContext } from '../work/planned_work.ts'
import { addTool, reads } from './add_tool.ts'

const mostProblems = 30
const mostChanges = 20

export function addReadTools(session: McpSession): void {
  const { roots, env, cwd } = session
  addTool(session, {
    name: 'check',
    title: 'Check a skill',
    description: 'Find problems in a skill and its eval suite. Asks no model, starts nothing.',
    input: z.strictObject({
      skill: place.describe('folder with SKILL.md'),
      suite: place.optional().describe('suite file; default: evals/evals.json of the skill'),
    }),
    output: { problems: z.array(z.looseObject({ rule: z.string(), severity: z.string() })) },
    annotations: reads,
    async call({ skill, suite }) {
      const request = {
        skills: [await roots.resolveWith(skill, skillFiles)],
        suite: suite === undefined ? null : await roots.resolve(suite),
        ...{ trials: [], judge: null, sandbox: noSandboxWish },
      }
      const { skills, counts } = await checkSkills(request, planningContext(env, undefined))
      const all = skills.flatMap(({ problems }) => problems)
      const { error, warning, info } = counts
      return {
        sentence: `${formatPlural(error, 'error')}, ${formatPlural(warning, 'warning')}, ${info} notes.`,
        counts,
        problems: all.slice(0, mostProblems),
        ...(all.length > mostProblems && { left_out: all.length - mostProblems }),
        next: error > 0 ? 'Fix the errors, then call plan.' : 'Call plan.',
      }
    },
  })
  addTool(session, {
    name: 'result',
    title: 'Read a result',
    description: 'Read the verdict and numbers of a finished benchmark, or of a session of improve.',
    input: z.strictObject({
      place: place.describe('benchmark folder or workspace (its newest benchmark)'),
      kind: z.enum(['benchmark', 'session']).default('benchmark'),
    }),
    output: { status: z.string() },
    annotations: reads,
    async call(given) {
      const at = await roots.resolveWith(given.place, ['history.json'])
      const folder = given.kind === 'session' ? at : await resolveBenchmark(at, roots)
      const { sentence, status, result } = await readStoredResult(folder, given.kind, cwd)
      return { sentence, status, ...result }
    },
  })
  addTool(session, {
    name: 'diff',
    title: 'Compare two benchmarks',
    description: 'Show what changed between two benchmarks, and how certain that is. Asks no model.',
    input: z.strictObject({
      before: place.describe('benchmark folder'),
      after: place.describe('benchmark folder'),
      arm: z.enum(['candidate', 'baseline']).default('candidate'),
    }),
    output: { cases: z.array(z.looseObject({ name: z.string(), change: z.string() })) },
    annotations: reads,
    async call({ before, after, arm }) {
      const [old, now] = [await resolveBenchmark(before, roots), await resolveBenchmark(after, roots)]
      const found = await diff({ before: old, after: now, arm }, env)
      const changed = found.cases.filter(({ change }) => change !== 'same')
      const verdict = found.scopes?.these_cases.verdict ?? null
      return {
        sentence: diffHeadline(found),
        ...{ verdict, plan: found.plan.slice(0, mostChanges), cases: changed.slice(0, mostChanges) },
        turned: found.turned.slice(0, mostChanges),
      }
    },
  })
}

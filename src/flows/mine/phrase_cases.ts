/** Has a model phrase the expectations of mined cases. It sees only redacted texts, and its answer is redacted, too. */
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { buildCodeFence } from '../../base/text/fence.ts'
import { askEngine } from '../../engines/ask/ask.ts'
import { type CallUsage, sumCallUsage } from '../../engines/ask/cost_meter.ts'
import { withBaseUrl } from '../../engines/models/base_url.ts'
import { resolveEngineChoice } from '../../engines/models/resolve_model.ts'
import type { MinedReport } from '../../phases/1-plan/mine/mined_report.ts'
import {
  buildPhrasePrompt,
  findPhrasingProblem,
  type PhrasedCases,
  phrasedAnswer,
} from '../../phases/1-plan/mine/phrase_prompt.ts'
import { buildJudgeTask } from '../../phases/3-judge/compare/ask_outside_grading.ts'
import type { FlowContext } from '../flow_context.ts'
import { createJudgeOpener } from '../judge/open_judge.ts'
import { openAccountLimiters } from '../limits/rate_limiters.ts'
import { createAutoEngine } from '../prepare/choose_engine.ts'
import { preflight } from '../prepare/preflight.ts'
import { throwRefusal } from '../prepare/refusals.ts'
import { clearLeftovers } from '../workspace/clear_leftovers.ts'

export interface PhrasingWish {
  /** engine[:model] or auto. */
  engine: string
  model: string | null
  baseUrl: string | null
  passEnv: readonly string[]
  sandbox: SandboxWish | null
}

type Drafted = MinedReport['drafted']

export interface PhrasedDrafts {
  cases: Drafted
  spent: CallUsage
  /** Why some cases keep their plain expectations; null: none does. */
  missing: string | null
}

const mostAtOnce = 10

/** Asks once for ten cases. A case without a usable answer keeps its plain expectations. */
export async function phraseCases(
  drafted: Drafted,
  { wish, text }: { wish: PhrasingWish; text: (text: string) => string },
  context: FlowContext,
): Promise<PhrasedDrafts> {
  const { passEnv, sandbox, baseUrl } = wish
  await clearLeftovers(context)
  const placed = withBaseUrl(resolveEngineChoice(wish), baseUrl)
  const choice =
    placed.name === 'auto' ? await createAutoEngine(context, throwRefusal).choose(placed, 'engine', []) : placed
  await preflight({ '--model': choice }, passEnv, context)
  using pace = openAccountLimiters(undefined, context)
  const openModel = await createJudgeOpener({ choice, passEnv, hidden: [], sandbox, pace }, context)
  const phrased: PhrasedCases = []
  const spent: CallUsage[] = []
  let missing: string | null = null
  for (let at = 0; at < drafted.length; at += mostAtOnce) {
    context.emit({ type: 'mining', step: 'phrasing', done: at, total: drafted.length })
    const cases = drafted.slice(at, at + mostAtOnce).map((one) => one.case)
    await using opened = await openModel()
    const prompt = buildPhrasePrompt(cases, buildCodeFence)
    const asked = await askEngine({
      ...buildJudgeTask(opened.asking, { prompt, cwd: opened.cwd, mark: null, tools: 'none' }),
      schema: phrasedAnswer,
      review: (answer) => findPhrasingProblem(answer.cases, cases),
    })
    spent.push(asked.spent)
    if (asked.status === 'answered') phrased.push(...asked.value.cases)
    missing ??= asked.status === 'error' ? asked.error : findPhrasingProblem(asked.value.cases, cases)
  }
  const cases = drafted.map(({ task, case: one }) => {
    const better = phrased.find(({ id }) => id === one.id)
    if (better === undefined) return { task, case: one }
    return { task, case: { ...one, name: text(better.name), expectations: better.expectations.map(text) } }
  })
  return { cases, spent: sumCallUsage(spent), missing }
}

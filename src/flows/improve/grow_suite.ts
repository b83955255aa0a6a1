/** improve --grow-suite: has a model draft what a small suite lacks, in a file beside it that nothing uses until its author has read it. */
import path from 'node:path'
import { z } from 'zod'
import { evalsFile } from '../../../schemas/evals.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/error.ts'
import { exists } from '../../base/files.ts'
import { checkAs, readJson } from '../../base/json.ts'
import { reapRooms } from '../../base/room.ts'
import { judgeName } from '../../engines/judge_choice.ts'
import { loadSuite, rootAbove } from '../../phases/1-plan/load.ts'
import { readSkill } from '../../phases/1-plan/skill.ts'
import { leastThreeWay } from '../../phases/1-plan/split.ts'
import { planBench } from '../bench.ts'
import type { FlowContext } from '../context.ts'
import { answersFor, draftCases, firstPrompt } from '../init/draft_cases.ts'
import { estimateDrafts, refuseTooDear } from '../init/estimate_drafts.ts'
import { type Initialized, refuseNone } from '../init/init.ts'
import { writeDrafts } from '../init/write_drafts.ts'
import { judgeOpener } from '../judge_opener.ts'
import { noLimits } from '../limits.ts'
import { openPace } from '../pace.ts'
import { preflight } from '../preflight.ts'
import { skillFolder } from '../prepare.ts'
import { refuseUnpriced } from '../unpriced.ts'
import { chooseProposer } from './proposer.ts'
import type { ImproveRequest } from './request.ts'

/** Only what has to be looked at; everything else stays as its author wrote it. */
const written = z.looseObject({ skill_name: z.string(), evals: z.array(z.looseObject({})) })

/** Throws UserError, or IncompleteError where the model gave no usable case. Nothing that is there is written over. */
export async function growSuite(request: ImproveRequest, context: FlowContext): Promise<Initialized> {
  await reapRooms()
  const { skill, warnings } = await readSkill(await skillFolder(path.resolve(request.skill)))
  const { bench } = request
  const suite = await loadSuite(bench.suite ?? skill.path, skill.path)
  const before = await readJson(written, sourceOf(suite))
  const file = await targetOf(suite)
  const count = lackingIn(suite)
  const asked = { ...bench, skill: skill.path, baseline: null, cases: [], runs: 1, fresh: false, cache: false }
  const { plan, choices } = await planBench(asked, context)
  const choice = await chooseProposer(request.proposer, plan.options.engine, { context, choices })
  const { passEnv, sandbox = null, limits = noLimits } = bench
  const root = await rootAbove(path.dirname(file))
  const known = suite.cases.map(({ eval_id: id, eval_name: name, prompt }) => ({ id, name, prompt }))
  const characters = (await firstPrompt({ skill, count, root, known })).length
  await refuseUnpriced({ engine: choice, judge: null }, limits)
  refuseTooDear(await estimateDrafts(choice, { cases: count, answers: answersFor(count), characters }), limits)
  await preflight({ '--proposer': choice }, passEnv, context)
  using pace = openPace(bench.pace, context)
  const openModel = await judgeOpener({ choice, passEnv, hidden: [], sandbox, pace }, context)
  const made = await draftCases({ skill, count, root, known, by: judgeName(choice), limits, openModel }, context)
  refuseNone(made)
  const { evals } = checkAs(evalsFile, { skill_name: skill.name, evals: made.evals }, file)
  await writeDrafts({ file, root, suite: { ...before, evals: [...before.evals, ...evals] } }, made.files)
  return { ...made, file, root, choice, warnings: [...choices, ...warnings.map(({ message }) => message)] }
}

function sourceOf({ path: place }: Suite): string {
  if (place.endsWith('.json')) return place
  throw new UserError(
    `${place}: --grow-suite adds to suites that are evals.json`,
    'whetstone convert writes this one as evals.json; then --suite FILE',
  )
}

async function targetOf({ path: place }: Suite): Promise<string> {
  const file = place.replace(/(\.grown)?\.json$/, '.grown.json')
  if (file !== place && !(await exists(file))) return file
  throw new UserError(
    `${file}: it is there already`,
    'review its drafts and give it with --suite, or move it away; nothing is written over',
  )
}

/** As many as three parts need. */
function lackingIn({ cases, path: place }: Suite): number {
  const usable = cases.filter((one) => one.cannot_run === null && one.draft !== true).length
  if (usable < leastThreeWay) return leastThreeWay - usable
  throw new UserError(
    `${place}: it has ${usable} cases, enough for three parts`,
    'whetstone init --output FILE --cases N drafts more',
  )
}

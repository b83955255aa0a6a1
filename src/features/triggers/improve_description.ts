/** `improve --description`: a session of improve on trigger queries as cases, in which only the description may change. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { ArgumentsCamelCase, InferredOptionTypes } from 'yargs'
import { UserError } from '../../base/errors/error.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { sha256 } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { buildImproveRequest, type ImproveArguments, startImprove } from '../../cli/commands/improve/command.ts'
import { warningLines } from '../../cli/print_error.ts'
import { toSafeLine } from '../../cli/terminal/style.ts'
import { refuseUnwritableWorkspace } from '../../flows/prepare/check_start.ts'
import { resolveSkillFolder, resolveSkillWorkspace } from '../../flows/prepare/prepare_bench.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { readDistractors } from './measure/prepare_triggers.ts'
import type { descriptionFlags } from './options.ts'
import { askingFlags } from './options.ts'
import { loadQuerySet } from './queries/load_query_set.ts'
import { findQuerySet, type QuerySet, type TriggerQuery } from './queries/query_set.ts'

type DescriptionArguments = ArgumentsCamelCase<ImproveArguments> &
  ArgumentsCamelCase<InferredOptionTypes<typeof descriptionFlags>>

/** Reading costs no more for a better description: runs end there. So only accuracy decides. */
const anyPrice = { cost: 10, time: 10 }

/** `typed`: without the settings of a configuration file. Returns the exit code. */
export async function startDescription(parsed: DescriptionArguments, typed: DescriptionArguments): Promise<number> {
  if (typed.suite !== undefined) throw new UserError('--suite with --description', 'name the queries with --set')
  const request = buildImproveRequest(parsed)
  const { bench } = request
  const { skill } = await readSkill(await resolveSkillFolder(path.resolve(parsed.skill)), bench.links)
  const file = parsed.set === undefined ? findQuerySet(skill.path) : path.resolve(parsed.set)
  const set = await loadQuerySet(file, skill.name)
  const others = await readDistractors({ among: parsed.among, links: bench.links }, skill)
  const warnings = [...set.warnings, ...others.warnings].flatMap(warningLines)
  for (const line of warnings) process.stderr.write(`${toSafeLine(line)}\n`)
  const workspace = resolveSkillWorkspace(bench, skill)
  refuseUnwritableWorkspace(workspace)
  const evals = toSuite(set, { skill: skill.name, seed: parsed.seed })
  await using scratch = await openTempDir()
  const text = `${jsonText(evals, 2)}\n`
  // other queries are another file, so that no start changes those of a session
  const suite = path.join(parsed.dryRun ? scratch.path : workspace, 'queries', sha256(text).slice(0, 12), 'evals.json')
  await mkdir(path.dirname(suite), { recursive: true })
  await writeAtomic(suite, text)
  return await startImprove(
    {
      ...request,
      margins: { ...request.margins, ...anyPrice },
      descriptionBy: file,
      bench: {
        ...bench,
        suite,
        among: others.skills.map(({ path: folder }) => folder),
        maxTurns: bench.maxTurns ?? askingFlags['max-turns'].default,
        timeoutSeconds: bench.timeoutSeconds ?? askingFlags.timeout.default,
        activation: 'natural',
      },
    },
    parsed,
  )
}

const dealingOrder = ['held_out', 'train', 'held_out'] as const

/** An evals.json with a case for each query; a set that does not divide them is dealt. Throws UserError if a part lacks one of both kinds. */
function toSuite(set: QuerySet, { skill, seed }: { skill: string; seed: number }) {
  const lot = ({ query }: TriggerQuery) => sha256(`${seed}\0${query}`)
  const cases = [true, false].flatMap((label) => {
    const own = set.queries.filter(({ should_trigger }) => should_trigger === label)
    const undivided = own.filter(({ split }) => split === null).sort((a, b) => (lot(a) < lot(b) ? -1 : 1))
    const dealt = new Map(undivided.map((one, at) => [one, dealingOrder[at % dealingOrder.length]]))
    const parts = own.map((one) => ({ one, split: dealt.get(one) ?? (one.split === 'train' ? 'train' : 'held_out') }))
    if (new Set(parts.map(({ split }) => split)).size === 2) return parts
    throw new UserError(
      `${set.path}: too few queries to improve the description of ${skill}: training and test need both kinds`,
      'add queries until there are at least four that should trigger and four that should not; 20 and more decide better',
    )
  })
  const evals = cases.map(({ one: { query_id: id, query: prompt, should_trigger: read, draft }, split }) => ({
    ...{ id, prompt, split, checks: [{ type: 'skill_read', read, indicator: false }] },
    ...(draft && { review: 'draft' }),
  }))
  return { skill_name: skill, evals: evals.sort((a, b) => a.id - b.id) }
}

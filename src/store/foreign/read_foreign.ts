/** A folder without our plan.json, read: cases, arms, results, and all that was left out. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { plainName } from '../../../schemas/arm_names.ts'
import { UserError } from '../../base/error.ts'
import { type ArmsFound, chooseArms, isConfiguration } from './arms.ts'
import { type CaseFound, casesOf } from './cases.ts'
import { type Committed, readCommitted } from './committed.ts'
import { refuseOwn } from './own_benchmarks.ts'
import { findRuns, type Problem, type RunFound, walkTree } from './tree.ts'

export interface Foreign {
  cases: CaseFound[]
  arms: ArmsFound
  /** Null: there is no benchmark.json yet. */
  committed: Committed | null
  /** Gradings that lay there twice, counted once. */
  copies: number
  problems: Problem[]
}

/** Which configurations the user named; null: not named. */
export interface ArmsAsked {
  candidate: string | null
  baseline: string | null
}

const notRead = 'passed over: it is called like a grading, and its place or name fits no layout that is known'

/** Throws UserError where it is a file, or the folder holds no run, several benchmarks, one of ours below it, or no configuration of a name asked for. */
export async function readForeign(folder: string, asked: ArmsAsked): Promise<Foreign> {
  await refuseFile(folder)
  const tree = await walkTree(folder)
  await refuseOwn(folder, tree.names)
  const { runs, problems, passedOver } = await findRuns(tree)
  const graded = runs.filter((run) => run.result?.grading)
  if (graded.length === 0) {
    const first = problems[0]
    const some = first ? `${first.file}: ${first.message}` : namesOf(passedOver)
    throw new UserError(
      `${folder}: holds no graded run${some === '' ? '' : ` (${some})`}`,
      'give a benchmark of ours (it holds plan.json) or a folder with <case>/<configuration>/grading.json in it',
    )
  }
  refuseSeveral(folder, graded)
  const found = casesOf(spelledAlike(runs), nameOf(folder))
  const names = [...new Set(found.cases.flatMap((one) => one.runs.map((run) => run.configuration)))].sort()
  const committed = await readCommitted(folder, problems)
  const arms = armsAsked(names, asked)
  const unread = passedOver.map((file) => ({ file, message: notRead }))
  return {
    cases: found.cases,
    arms,
    committed,
    copies: found.copies,
    problems: [...problems, ...found.problems, ...unread],
  }
}

function namesOf(files: readonly string[]): string {
  const more = files.length > 3 ? ` and ${files.length - 3} more` : ''
  return files.length === 0 ? '' : `passed over: ${files.slice(0, 3).join(', ')}${more}`
}

/** One spelling for each known configuration, lower case first: With-Skill and with_skill are one. */
function spelledAlike(runs: readonly RunFound[]): RunFound[] {
  const names = [...new Set(runs.flatMap((run) => run.configuration ?? []))].filter(isConfiguration).sort()
  const spelling = new Map(names.map((name) => [plainName(name), name]))
  return runs.map((run) => {
    const name = run.configuration
    return name === null ? run : { ...run, configuration: spelling.get(plainName(name)) ?? name }
  })
}

async function refuseFile(place: string): Promise<void> {
  const found = await stat(place).catch(() => null)
  if (found === null || found.isDirectory()) return
  const fix =
    'give a benchmark of ours (it holds plan.json) or the folder that holds <case>/<configuration>/grading.json'
  throw new UserError(`${place}: a file, and a folder is wanted`, fix)
}

function refuseSeveral(folder: string, runs: readonly RunFound[]): void {
  const iterations = [...new Set(runs.map((run) => run.iteration ?? '.'))].sort()
  if (iterations.length < 2) return
  const one = runs.find((run) => run.iteration === iterations.at(-1))
  throw new UserError(
    `${folder}: holds several benchmarks: ${iterations.join(', ')}`,
    `name one, such as ${path.join(folder, one === undefined ? '' : iterationOf(one))}`,
  )
}

/** Where its iteration lies below the folder, which may be deeper. */
function iterationOf({ folder, iteration }: RunFound): string {
  const names = folder.split('/')
  return names.slice(0, names.lastIndexOf(iteration ?? '') + 1).join('/')
}

function armsAsked(names: readonly string[], { candidate, baseline }: ArmsAsked): ArmsFound {
  for (const [flag, name] of Object.entries({ candidate, baseline })) {
    if (name !== null && !names.includes(name)) {
      throw new UserError(`--${flag} ${name}: no such configuration here`, `there are ${names.join(', ')}`)
    }
  }
  if (candidate !== null && candidate === baseline) {
    throw new UserError(`--candidate and --baseline are both ${candidate}`, `there are ${names.join(', ')}`)
  }
  const chosen = chooseArms(names.filter((name) => name !== candidate && name !== baseline))
  if (candidate === null && baseline === null) return chosen
  const rest = names.filter((name) => name !== candidate && name !== baseline)
  const own = candidate ?? chosen.candidate
  const other = baseline ?? (rest.length > 0 ? (chosen.baseline ?? chosen.candidate) : null)
  return { candidate: own, baseline: other, note: null, others: rest.filter((name) => name !== own && name !== other) }
}

/** The folder's own name, or that of the workspace above `iteration-1`. */
export function nameOf(folder: string): string {
  const names = path.resolve(folder).split(path.sep).filter(Boolean)
  const own = names.findLast(
    (name) => !/^(?:iteration|iter|round)[-_]?\d*$|^(?:runs|results|evals|workspace|benchmarks)$/i.test(name),
  )
  return (own ?? 'skill').replace(/-workspace$/, '') || 'skill'
}

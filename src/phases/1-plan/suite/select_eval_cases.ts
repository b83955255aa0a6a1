/** Selects the cases of eval by name, target, category and test; each filter narrows the result of the others. */
import type { Suite, SuiteCase } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { didYouMean, suggestChoice } from '../../../base/text/did_you_mean.ts'
import { type Shard, selectShardItems } from '../plan/select_shard.ts'
import { selectCases } from './select_cases.ts'

export interface EvalSelection {
  cases: readonly string[]
  /** skill:<name>, hook:<event>, agent:<name>; skill:, hook: or agent: alone matches all of that kind; null: any. */
  target: string | null
  category: string | null
  /** The test's id, or a part of the ids of several. */
  test: string | null
  /** One part of the cases of all suites together; absent or null: all. */
  shard?: Shard | null
}

/** Returns the suites with their selected cases, without empty suites. Throws UserError if a filter matches no case. */
export function selectEvals<S extends { suite: Suite }>(all: readonly S[], wanted: EvalSelection): S[] {
  const { target, category, test, shard = null } = wanted
  assertTargetForm(target)
  let left = wanted.cases.length === 0 ? [...all] : selectByName(all, wanted.cases)
  if (target !== null)
    left = narrowSuites(left, { flag: '--target', value: target, of: readCaseTarget, fits: fitsTarget })
  if (category !== null)
    left = narrowSuites(left, { flag: '--category', value: category, of: readCaseCategory, fits: isSame })
  if (test !== null) left = selectTests(left, test)
  return shard === null ? left : selectEvalShard(left, shard)
}

function selectEvalShard<S extends { suite: Suite }>(all: readonly S[], shard: Shard): S[] {
  const own = new Set(
    selectShardItems(
      all.flatMap(({ suite }) => suite.cases),
      shard,
    ),
  )
  return withCases(all, (one) => own.has(one))
}

function assertTargetForm(target: string | null): void {
  if (target === null || /^(skill|hook|agent):/.test(target)) return
  throw new UserError(
    `--target "${target}": expected skill:, hook: or agent:`,
    'use a form such as --target skill:pdf-tools',
  )
}

/** Each name must match a case of at least one suite. */
function selectByName<S extends { suite: Suite }>(all: readonly S[], cases: readonly string[]): S[] {
  const together = { ...(all[0]?.suite ?? noSuite), cases: all.flatMap(({ suite }) => suite.cases) }
  const chosen = new Set(cases.flatMap((text) => selectCases(together, [text], 'the case').cases))
  return withCases(all, (one) => chosen.has(one))
}

const noSuite: Suite = { format: '', path: '', skill_name: 'none', cases: [], warnings: [] }

interface Narrowing {
  flag: string
  value: string
  of: (one: SuiteCase) => string | undefined
  fits: (own: string, value: string) => boolean
}

function narrowSuites<S extends { suite: Suite }>(all: readonly S[], { flag, value, of, fits }: Narrowing): S[] {
  const left = withCases(all, (one) => fits(of(one) ?? '', value))
  if (left.length > 0) return left
  const known = [...new Set(all.flatMap(({ suite }) => suite.cases.flatMap((one) => of(one) ?? [])))]
  throw new UserError(`${flag} "${value}": no such case`, suggestChoice(value, known))
}

const readCaseTarget = ({ target }: SuiteCase) => target
const readCaseCategory = ({ category }: SuiteCase) => category
const isSame = (own: string, value: string) => own === value
const fitsTarget = (own: string, value: string) => own === value || (value.endsWith(':') && own.startsWith(value))

function withCases<S extends { suite: Suite }>(all: readonly S[], keeps: (one: SuiteCase) => boolean): S[] {
  return all.flatMap((each) => {
    const cases = each.suite.cases.filter(keeps)
    return cases.length === 0 ? [] : [{ ...each, suite: { ...each.suite, cases } }]
  })
}

/** The tests with exactly this id, or else all whose id contains it, in every suite. */
function selectTests<S extends { suite: Suite }>(all: readonly S[], text: string): S[] {
  const exact = withCases(all, (one) => readTestId(one) === text)
  const left = exact.length > 0 ? exact : withCases(all, (one) => readTestId(one).includes(text))
  if (left.length > 0) return left
  const ids = all.flatMap(({ suite }) => suite.cases.map(readTestId))
  const more = ids.length > mostListed ? ` and ${ids.length - mostListed} more` : ''
  const listed = `expected one of ${ids.slice(0, mostListed).join(', ') || '(the suite has none)'}${more}`
  throw new UserError(`--test "${text}": no such test`, didYouMean(text, ids) ?? listed)
}

const mostListed = 8

const readTestId = ({ eval_key, eval_name }: SuiteCase) => eval_key ?? eval_name

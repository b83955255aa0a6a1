/** Makes the cases of another tool's suite Whetstone's own: its objects are read as those of evals.json, and the rest is added. */
import path from 'node:path'
import type { InputFile, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { type CaseAdditions, readAdditions } from '../../phases/1-plan/formats/evals_json/additions.ts'
import { readCase } from '../../phases/1-plan/formats/evals_json/case.ts'
import { isOutsideFolder, placeInputs } from '../../phases/1-plan/suite/input_files.ts'
import type { InspectedSuite, SuiteMistake } from '../../phases/1-plan/suite/inspected_suite.ts'
import type { Warn } from '../../phases/1-plan/suite/loader_warnings.ts'
import { findLimit } from './named_text.ts'
import type { OtherCase, OtherPlace, OtherSuite } from './other_suite.ts'

/** Never throws for what is in a case. A case with a mistake stays, with `cannot_run`. */
export async function toSuiteCases(
  { base, cases }: OtherSuite,
  { file, root, warn }: OtherPlace,
): Promise<Pick<InspectedSuite, 'places'> & Pick<Suite, 'cases'>> {
  const { additions, mistakes } = await readAdditions(cases, { root: base, warn })
  warnRepeatedKeys(cases, warn)
  const place = { file, root: base, warn, programs: null }
  const read: SuiteCase[] = []
  for (const [index, source] of cases.entries()) {
    const own: CaseAdditions = additions[index] ?? {}
    const id = { eval_id: index + 1, eval_key: null }
    const one = await readCase({ source, own, id }, place)
    const inputs = await placeOtherInputs(source, base, { file, root: findLimit(base, root), warn })
    const ofCase = mistakes.filter((mistake) => isOfCase(mistake, source)).map(({ message }) => message)
    const reasons = [...ofCase, ...source.reasons, ...inputs.reasons]
    read.push(addParts(one, source, { files: inputs.files, reasons }))
  }
  return { cases: read, places: cases.map(({ at }) => ({ file, at })) }
}

function isOfCase({ at }: SuiteMistake, one: OtherCase): boolean {
  return at === one.at || at.startsWith(`${one.at}.`)
}

function addParts(
  one: SuiteCase,
  { texts, system }: OtherCase,
  { files, reasons }: { files: InputFile[]; reasons: string[] },
): SuiteCase {
  const all = [...(one.cannot_run === null ? [] : [one.cannot_run]), ...reasons]
  const placed = Object.fromEntries(Object.entries(texts).filter(([to]) => explainPlace(to) === null)) // the others are reasons
  const isPlain = Object.keys(placed).length === 0 && system === null
  const around = one.environment ?? { files: [], hooks: {}, rules: [], agents: [], mcp_servers: {} }
  const environment = {
    ...around,
    ...(Object.keys(placed).length > 0 && { texts: placed }),
    ...(system !== null && { system_prompt: system }),
  }
  return {
    ...one,
    files: [...one.files, ...files],
    ...(!isPlain && { environment }),
    cannot_run: all.length === 0 ? null : [...new Set(all)].join('; '),
  }
}

/** Each file at the place that the suite gives it. */
async function placeOtherInputs(
  { inputs, texts }: OtherCase,
  base: string,
  place: { file: string; root: string; warn: Warn },
): Promise<{ files: InputFile[]; reasons: string[] }> {
  const files: InputFile[] = []
  const reasons = Object.keys(texts).flatMap((to) => explainPlace(to) ?? [])
  for (const { from, to, at } of inputs) {
    const refusal = explainPlace(to)
    const inner = path.isAbsolute(from) ? from : path.relative(place.root, path.resolve(base, comeBack(from, base)))
    const found = await placeInputs([{ path: inner || '.', at }], place)
    reasons.push(...found.reasons, ...(refusal === null ? [] : [refusal]))
    if (refusal !== null) continue
    const target = path.posix.normalize(to).replace(/\/+$/, '')
    const isThere = files.some((other) => other.path === target)
    if (isThere) place.warn(at, 'the same file again; it counts once')
    else files.push(...found.files.map((one) => ({ ...one, path: target })))
  }
  return { files, reasons }
}

/** Why nothing can be put there; null: it can. */
function explainPlace(to: string): string | null {
  const isBelow = to.trim() !== '' && !path.isAbsolute(to) && !isOutsideFolder('/folder', path.resolve('/folder', to))
  const isFolderItself = path.posix.normalize(to).replace(/\/+$/, '') === '.'
  if (isBelow && !isFolderItself && !/[\\\0]/.test(to)) return null
  return `a file would be at ${JSON.stringify(to)}, which is not below the working folder`
}

function warnRepeatedKeys(cases: readonly OtherCase[], warn: Warn): void {
  const seen = new Set<unknown>()
  for (const { object, at } of cases) {
    if (object.eval_key === undefined) continue
    if (seen.has(object.eval_key)) warn(at, `id ${JSON.stringify(object.eval_key)} is already taken by another case`)
    seen.add(object.eval_key)
  }
}

/** A path that leaves the folder of the suite and comes back to it by name, as `../../tests/pdf/a.txt` of a suite in `tests/pdf`. */
function comeBack(from: string, base: string): string {
  const named = /^(?:\.\.\/)+(.*)$/.exec(path.posix.normalize(from))?.[1]
  const parts = named?.split('/') ?? []
  for (let count = parts.length - 1; count > 0; count -= 1) {
    const inner = parts.slice(count).join('/')
    if (base.endsWith(`/${parts.slice(0, count).join('/')}`) && inner !== '') return inner
  }
  return from
}

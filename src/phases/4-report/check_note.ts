/** Checks a model's note against the numbers of a benchmark: named runs, claims that hold, no number beyond them. */
import type { AnalystClaim, AnalystNote } from '../../../schemas/analyst_notes.ts'
import type { Benchmark, BenchmarkRun } from '../../../schemas/benchmark.ts'

/** Why a note can't be kept; null: it holds. */
export function wrongWith(note: AnalystNote, { runs }: Pick<Benchmark, 'runs'>): string | null {
  if (note.runs.length === 0) return 'it names no run'
  const known = new Set(runs.map(nameOf))
  const stray = note.runs.find((name) => !known.has(name))
  if (stray !== undefined) return `there is no run ${stray}`
  if (note.claims.length === 0) return 'it rests on no number'
  for (const claim of note.claims) {
    const value = computed(claim, runs)
    if (value === null) return `nothing is known of ${told(claim)}`
    if (!isNear(claim.value, value)) return `${told(claim)} is ${rounded(value)}, not ${claim.value}`
  }
  const unfounded = numbersIn(note.text).find((number) => !isFounded(number, note))
  return unfounded === undefined ? null : `no claim gives its ${unfounded.text}`
}

function nameOf({ eval_id, configuration, run_number }: BenchmarkRun): string {
  return `${eval_id}/${configuration}/run-${run_number}`
}

/** The claim computed anew; null: no run of it says so. */
function computed(
  { metric, statistic, eval_id, configuration, expectation }: AnalystClaim,
  all: readonly BenchmarkRun[],
) {
  const runs = all.filter(
    (run) =>
      (eval_id === null || run.eval_id === eval_id) && (configuration === null || run.configuration === configuration),
  )
  const values =
    metric === 'expectation'
      ? runs.flatMap(({ expectations }) =>
          expectations.filter(({ text }) => text === expectation).map(({ passed }) => (passed ? 1 : 0)),
        )
      : runs.flatMap(({ result }) => result[metric] ?? [])
  if (values.length === 0) return null
  const sum = values.reduce((total, one) => total + one, 0)
  return { mean: sum / values.length, sum, min: Math.min(...values), max: Math.max(...values), count: values.length }[
    statistic
  ]
}

/** Within half a per cent of its size, or half a hundredth: what rounding does. */
function isNear(said: number, real: number): boolean {
  return Math.abs(said - real) <= Math.max(0.005, Math.abs(real) * 0.005) + 1e-9
}

interface Written {
  text: string
  value: number
  decimals: number
}

/** Every number in the text, but those that are a part of a name. */
function numbersIn(text: string): Written[] {
  return [...text.matchAll(/(?<![\w.-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w-])/g)].map(([found]) => {
    const plain = found.replaceAll(',', '')
    return { text: found, value: Number(plain), decimals: plain.split('.')[1]?.length ?? 0 }
  })
}

/** The value of a claim, a difference of two, a share in per cent, a case, a run's number or how many are named. */
function isFounded({ value, decimals }: Written, { claims, runs }: AnalystNote): boolean {
  const values = claims.map((claim) => claim.value)
  const differences = values.flatMap((one) => values.map((other) => Math.abs(one - other)))
  const founded = [...values, ...differences].flatMap((one) => [one, one * 100])
  const names = runs.flatMap((name) => (name.match(/\d+/g) ?? []).map(Number))
  const ids = claims.flatMap(({ eval_id }) => eval_id ?? [])
  const half = 0.5 * 10 ** -decimals + 1e-9
  return [...names, ...ids, runs.length].includes(value) || founded.some((one) => Math.abs(one - value) <= half)
}

function told({ metric, statistic, eval_id, configuration }: AnalystClaim): string {
  return `${statistic} ${metric} of ${eval_id === null ? 'all cases' : `eval ${eval_id}`}, ${configuration ?? 'both arms'},`
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}

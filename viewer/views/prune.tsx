/** What each unit of the skill changes and costs, and whether the shorter skill is kept. */
import type { Prune, SkillUnit } from '../../schemas/prune.ts'
import type { Model } from '../data/model.ts'
import { displayCount, displayPercent, displayPointRange, displayPoints, displayProbability } from '../format.ts'
import { EffectBar } from '../parts/charts/effect_bar.tsx'
import { Figure } from '../parts/charts/rate_figure.tsx'
import { UnknownForm } from '../parts/content/raw_artefact.tsx'

export function hasPrune({ page }: Model): boolean {
  return page.extras.prune !== undefined
}

export function PruneView({ model }: { model: Model }) {
  const { prune } = model.page.extras
  if (prune === undefined) return null
  if (!('value' in prune)) return <UnknownForm title="Units" file="prune.json" raw={prune.raw} />
  const { value } = prune
  return (
    <>
      <section aria-labelledby="diet">
        <h2 id="diet">Shorter skill</h2>
        <p class="text">{value.sentence}</p>
        <p class="hint">{value.split.scope}</p>
        <Decision prune={value} />
      </section>
      {value.screening !== null && <Units prune={value} screening={value.screening} />}
    </>
  )
}

function Decision({ prune: { certification, plan, units, dropped } }: { prune: Prune }) {
  if (certification === null || certification.difference === null) return null
  const { difference, cost, full, pruned, margin, n_cases, n_runs } = certification
  const removed = units.filter(({ id }) => dropped.includes(id)).reduce((sum, { characters }) => sum + characters, 0)
  return (
    <div class="figures">
      <Figure name="pass rate, held-out cases" value={displayPercent(pruned ?? 0)} range={null}>
        with the shorter skill, {displayPercent(full ?? 0)} with the whole one; {n_cases} cases, {n_runs} runs
      </Figure>
      <Figure name="difference" value={displayPoints(difference.mean)} range={null}>
        points, 95% CI {displayPointRange(difference.ci_low, difference.ci_high)}; at least{' '}
        {displayPoints(difference.lower_bound)} (one-sided), allowed are {displayPoints(-margin)}
      </Figure>
      {cost !== null && (
        <Figure name={cost.unit === 'usd' ? 'cost' : 'tokens'} value={`× ${cost.ratio.toFixed(2)}`} range={null}>
          of the whole skill's
          {cost.upper_bound === null ? '' : `, at most × ${cost.upper_bound.toFixed(2)} (one-sided)`}
        </Figure>
      )}
      <Figure name="left out" value={`${dropped.length} of ${plan.units}`} range={null}>
        units, {displayCount(removed)} characters
      </Figure>
    </div>
  )
}

const verdicts = { helps: 'helps', open: 'not ruled out', none: 'no effect', harms: 'harms' } as const

function Units({ prune, screening }: { prune: Prune; screening: NonNullable<Prune['screening']> }) {
  const { units, dropped, plan } = prune
  const rows = [...screening.units].sort((a, b) => b.effect.mean - a.effect.mean)
  const scale = Math.max(0.05, ...rows.map(({ effect }) => Math.abs(effect.mean)))
  return (
    <section aria-labelledby="units">
      <h2 id="units">Units</h2>
      <p class="hint">
        {screening.runs} runs on training cases, each without half of the units. An effect is the pass rate with the
        unit minus without it. A unit is left out if it shows no effect and a loss of {Math.round(100 * plan.detect)}{' '}
        points without it is ruled out.
      </p>
      <div class="card scroll">
        <table class="pairs units">
          <thead>
            <tr>
              <th scope="col">unit</th>
              <th scope="col">effect</th>
              <th scope="col">points, 95% CI</th>
              <th scope="col">p (FDR)</th>
              <th scope="col">tokens, 95% CI</th>
              <th scope="col">result</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <UnitRow
                key={row.id}
                row={row}
                unit={units.find(({ id }) => id === row.id)}
                isDropped={dropped.includes(row.id)}
                scale={scale}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

interface UnitRowProps {
  row: NonNullable<Prune['screening']>['units'][number]
  unit: SkillUnit | undefined
  isDropped: boolean
  scale: number
}

function UnitRow({ row: { id, effect, tokens, verdict }, unit, isDropped, scale }: UnitRowProps) {
  return (
    <tr>
      <th scope="row">
        {unit?.label ?? id} <small>{unit?.kind}</small>
      </th>
      <td>
        <EffectBar effect={effect.mean} scale={scale} />
      </td>
      <td>
        {displayPoints(effect.mean)} ({displayPointRange(effect.ci_low, effect.ci_high)})
      </td>
      <td>{displayProbability(effect.p_adjusted).replace(/^= /, '')}</td>
      <td>
        {tokens === null ? 'unknown' : `${signed(tokens.mean)} (${signed(tokens.ci_low)} to ${signed(tokens.ci_high)})`}
      </td>
      <td>
        {verdicts[verdict]} <em class={isDropped ? 'tag warn' : 'tag'}>{isDropped ? 'left out' : 'kept'}</em>
      </td>
    </tr>
  )
}

function signed(amount: number): string {
  const whole = Math.round(amount)
  return whole > 0 ? `+${displayCount(whole)}` : displayCount(whole)
}

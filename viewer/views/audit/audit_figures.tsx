/** The results of an audit: agreement, kappa, sensitivity, specificity, the four counts, and corrected rates. */
import type { AuditSummary } from '../../../schemas/audit.ts'
import type { Statistics } from '../../../schemas/benchmark_statistics.ts'
import { displayArm, displayPercent, displayPoints } from '../../format.ts'
import { Figure } from '../../parts/charts/rate_figure.tsx'
import { ListTable } from '../../parts/layout/data_table.tsx'

interface Figures {
  summary: AuditSummary
  /** Of all verdicts, corrected for the judge's errors; null: it can't be. */
  difference: Statistics['judge_difference'] | null
  /** 1 − the level of its interval. */
  alpha: number
}

export function AuditFigures({ summary, difference, alpha }: Figures) {
  const level = Number((100 * (1 - alpha)).toFixed(2))
  const { kappa, kappa_ci, sensitivity, specificity, by_configuration } = summary
  return (
    <section aria-labelledby="figures">
      <h2 id="figures">Reviews by people</h2>
      <div class="figures">
        <Figure
          name="Cohen’s κ"
          value={kappa === null ? '–' : kappa.toFixed(2)}
          range={kappa_ci == null ? null : `${kappa_ci.ci_low.toFixed(2)} to ${kappa_ci.ci_high.toFixed(2)}`}
        >
          {kappa === null
            ? 'Not defined: the judge or the people gave one verdict only.'
            : 'Agreement beyond chance; 1 is perfect.'}
        </Figure>
        <Rate name="sensitivity" rate={sensitivity} of="that people pass: also passed by the judge" />
        <Rate name="specificity" rate={specificity} of="that people fail: also failed by the judge" />
      </div>
      <div class="figures">
        <Table table={summary.table} />
        {summary.corrected !== null && <CorrectedRates corrected={summary.corrected} />}
        {by_configuration != null && <OwnErrors errors={by_configuration} />}
      </div>
      {summary.favours != null && (
        <p>The judge passes statements {displayArm(summary.favours.configuration)} more readily than people do.</p>
      )}
      {difference != null && (
        <p>
          Difference, corrected for the judge’s errors: {displayPoints(difference.mean)} points, {level}% CI [
          {displayPoints(difference.ci_low)}, {displayPoints(difference.ci_high)}]{' '}
          {difference.errors === 'pooled'
            ? '(errors from the labels of all configurations together).'
            : '(errors from the labels of each configuration).'}
        </p>
      )}
      {summary.withheld != null && <p class="hint">{summary.withheld}</p>}
    </section>
  )
}

function Rate({ name, rate, of }: { name: string; rate: AuditSummary['agreement']; of: string }) {
  const range = rate === null ? null : `${displayPercent(rate.ci_low)} to ${displayPercent(rate.ci_high)}`
  return (
    <Figure name={name} value={rate === null ? '–' : displayPercent(rate.rate)} range={range}>
      {rate === null ? 'Too few labels of this kind.' : `of ${rate.n} ${of}`}
    </Figure>
  )
}

function Table({ table }: { table: AuditSummary['table'] }) {
  return (
    <ListTable columns={['', 'people: passed', 'people: failed']} caption="Labels by verdict">
      <tr>
        <th scope="row">judge: passed</th>
        <td>{table.both_met}</td>
        <td class={table.only_judge > 0 ? 'worse' : ''}>{table.only_judge}</td>
      </tr>
      <tr>
        <th scope="row">judge: failed</th>
        <td class={table.only_person > 0 ? 'worse' : ''}>{table.only_person}</td>
        <td>{table.neither}</td>
      </tr>
    </ListTable>
  )
}

function CorrectedRates({ corrected }: { corrected: NonNullable<AuditSummary['corrected']> }) {
  return (
    <ListTable
      columns={['', 'as judged', 'corrected', '95% CI', 'of']}
      caption="Share of judged expectations that pass"
    >
      {Object.entries(corrected).map(([arm, { judged, rate, ci_low, ci_high, n }]) => (
        <tr key={arm}>
          <th scope="row">
            <bdi>{displayArm(arm)}</bdi>
          </th>
          <td>{displayPercent(judged)}</td>
          <td>{displayPercent(rate)}</td>
          <td>
            {displayPercent(ci_low)} to {displayPercent(ci_high)}
          </td>
          <td>{n}</td>
        </tr>
      ))}
    </ListTable>
  )
}

function OwnErrors({ errors }: { errors: NonNullable<AuditSummary['by_configuration']> }) {
  return (
    <ListTable columns={['', 'sensitivity', 'labels', 'specificity', 'labels']} caption="Errors by configuration">
      {Object.entries(errors).map(([arm, { sensitivity, specificity }]) => (
        <tr key={arm}>
          <th scope="row">
            <bdi>{displayArm(arm)}</bdi>
          </th>
          <td>{displayPercent(sensitivity.rate)}</td>
          <td>{sensitivity.n}</td>
          <td>{displayPercent(specificity.rate)}</td>
          <td>{specificity.n}</td>
        </tr>
      ))}
    </ListTable>
  )
}

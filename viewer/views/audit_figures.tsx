/** What follows from an audit: agreement, kappa, sensitivity, specificity, the four counts, the arms' rates corrected. */
import type { AuditSummary } from '../../schemas/audit.ts'
import { Figure } from '../parts/figure.tsx'
import { Listed } from '../parts/listed.tsx'
import { armLabel, percent, plural } from '../words.ts'

export function AuditFigures({ summary }: { summary: AuditSummary }) {
  const { agreement, kappa, kappa_ci, sensitivity, specificity, labels } = summary
  return (
    <section aria-labelledby="figures">
      <h2 id="figures">
        What people say <small>{plural(labels, 'label')}</small>
      </h2>
      <div class="figures">
        <Rate name="agreement" rate={agreement} of="labels" />
        <Figure
          name="Cohen’s κ"
          value={kappa === null ? '–' : kappa.toFixed(2)}
          range={kappa_ci == null ? null : `${kappa_ci.ci_low.toFixed(2)} to ${kappa_ci.ci_high.toFixed(2)}`}
        >
          {kappa === null
            ? 'One of them only ever says the same.'
            : 'Agreement beyond what chance would give; 1 is all.'}
        </Figure>
        <Rate name="sensitivity" rate={sensitivity} of="held to be met: passed by the judge" />
        <Rate name="specificity" rate={specificity} of="held to be unmet: failed by the judge" />
      </div>
      <div class="figures">
        <Table table={summary.table} />
        {summary.corrected !== null && <Corrected corrected={summary.corrected} />}
      </div>
      {summary.withheld != null && <p class="hint">{summary.withheld}</p>}
    </section>
  )
}

function Rate({ name, rate, of }: { name: string; rate: AuditSummary['agreement']; of: string }) {
  const range = rate === null ? null : `${percent(rate.ci_low)} to ${percent(rate.ci_high)}`
  return (
    <Figure name={name} value={rate === null ? '–' : percent(rate.rate)} range={range}>
      {rate === null ? 'Too few labels of this kind.' : `of ${rate.n} ${of}`}
    </Figure>
  )
}

function Table({ table }: { table: AuditSummary['table'] }) {
  return (
    <Listed columns={['', 'people: met', 'people: not met']} caption="Labels by verdict">
      <tr>
        <th scope="row">judge: met</th>
        <td>{table.both_met}</td>
        <td class={table.only_judge > 0 ? 'worse' : ''}>{table.only_judge}</td>
      </tr>
      <tr>
        <th scope="row">judge: not met</th>
        <td class={table.only_person > 0 ? 'worse' : ''}>{table.only_person}</td>
        <td>{table.neither}</td>
      </tr>
    </Listed>
  )
}

function Corrected({ corrected }: { corrected: NonNullable<AuditSummary['corrected']> }) {
  return (
    <Listed
      columns={['', 'as judged', 'corrected', 'interval', 'of']}
      caption="Share of judged expectations that are met"
    >
      {Object.entries(corrected).map(([arm, { judged, rate, ci_low, ci_high, n }]) => (
        <tr key={arm}>
          <th scope="row">
            <bdi>{armLabel(arm)}</bdi>
          </th>
          <td>{percent(judged)}</td>
          <td>{percent(rate)}</td>
          <td>
            {percent(ci_low)} to {percent(ci_high)}
          </td>
          <td>{n}</td>
        </tr>
      ))}
    </Listed>
  )
}

/** The trend view: every benchmark of the workspace over time, each difference with its interval, and the cost by month. */
import type { PageTrendPoint } from '../../schemas/page.ts'
import type { Trend, TrendPoint } from '../../schemas/trend.ts'
import type { Model } from '../data/model.ts'
import { displayDollars, displayPlural } from '../format.ts'
import { Forest } from '../parts/charts/difference_chart.tsx'
import { UnknownForm } from '../parts/content/raw_artefact.tsx'
import { ListTable } from '../parts/layout/data_table.tsx'
import { ReportLink } from '../parts/run/report_link.tsx'

export function hasTrend({ page }: Model): boolean {
  return page.extras.trend !== undefined
}

export function TrendView({ model }: { model: Model }) {
  const { trend } = model.page.extras
  if (trend === undefined) return null
  if (!('value' in trend)) return <UnknownForm title="Trend" file="trend.json" raw={trend.raw} />
  return (
    <>
      <header class="lead">
        <h1>{displayPlural(trend.value.points.length, 'benchmark')} over time</h1>
      </header>
      <Points model={model} trend={trend.value} />
    </>
  )
}

function Points({ model, trend }: { model: Model; trend: Trend }) {
  const shown = model.page.extras.trend_shown ?? []
  const newest = trend.points.map((point, index) => ({ point, shown: shown[index] })).toReversed()
  return (
    <>
      {trend.left_out.length > 0 && (
        <div class="banner">
          {trend.left_out.map(({ file, message }) => (
            <p key={file}>
              Left out: <bdi>{file}</bdi>: <bdi>{message}</bdi>
            </p>
          ))}
        </div>
      )}
      <section aria-labelledby="points">
        <h2 id="points">
          Benchmarks{' '}
          <small>
            newest first; as of when <code>view --trend</code> was run
          </small>
        </h2>
        <ListTable
          columns={['date', 'difference', '95% CI', 'pass rate', 'baseline', 'version, model', '']}
          words={['date', 'version, model']}
          kind="trend stacks"
        >
          {newest.map(({ point, shown: texts }) => (
            <Row key={point.folder} model={model} point={point} shown={texts} />
          ))}
        </ListTable>
        <p class="hint">Chart: the difference in points, -100 to +100, with its 95% CI; dotted line: no difference.</p>
      </section>
      <Costs trend={trend} />
    </>
  )
}

function Row({ model, point, shown }: { model: Model; point: TrendPoint; shown: PageTrendPoint | undefined }) {
  const { timestamp, skill_version, lift, complete } = point
  return (
    <tr>
      <th scope="row">
        <ReportLink model={model} folder={point.folder}>
          <time dateTime={timestamp}>{timestamp.slice(0, 16).replace('T', ' ')}</time>
        </ReportLink>{' '}
        {!complete && <em class="tag warn">incomplete</em>}
      </th>
      <td data-column="difference">{shown?.points || '–'}</td>
      <td data-column="95% CI">{shown?.interval || '–'}</td>
      <td data-column="pass rate">{shown?.candidate || '–'}</td>
      <td data-column="baseline">{shown?.baseline || '–'}</td>
      <td class="left" data-column="version, model">
        <span>
          <code>{skill_version?.slice(0, 8) ?? '–'}</code> <bdi>{point.model ?? '–'}</bdi>
        </span>
      </td>
      <td class="wide">
        {lift !== null && <Forest mean={lift.mean} low={lift.ci_low} high={lift.ci_high} shown={shown} />}
      </td>
    </tr>
  )
}

function Costs({ trend: { costs } }: { trend: Trend }) {
  if (costs.length === 0) return null
  const money = (usd: number | null) => (usd === null ? '–' : displayDollars(usd))
  return (
    <section aria-labelledby="months">
      <h2 id="months">Cost by month</h2>
      <ListTable
        columns={['month', 'benchmarks', 'agent', 'judge', 'improve', 'runs of unknown cost']}
        words={['month']}
        kind="stacks"
      >
        {costs.map(({ month, benchmarks, agent_usd, judge_usd, improve_usd, unknown_runs }) => (
          <tr key={month}>
            <th scope="row">{month}</th>
            <td data-column="benchmarks">{benchmarks}</td>
            <td data-column="agent">{money(agent_usd)}</td>
            <td data-column="judge">{money(judge_usd)}</td>
            <td data-column="improve">{money(improve_usd)}</td>
            <td data-column="runs of unknown cost">{unknown_runs}</td>
          </tr>
        ))}
      </ListTable>
    </section>
  )
}

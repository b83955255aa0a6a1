/** The view of an eval: a verdict per case with its reason and a link to the evidence, scores of golden tests, reports over time. */
import type { EvalCaseResult } from '../../../schemas/eval_result.ts'
import type { GoldenRunLine } from '../../../schemas/golden.ts'
import type { PageEvaluation } from '../../../schemas/page.ts'
import type { Model } from '../../data/model.ts'
import { displayDollars, displayPercent, displayPlural, displaySeconds, revealHidden } from '../../format.ts'
import { JsonValueTree } from '../../parts/content/json_tree.tsx'
import { ListTable } from '../../parts/layout/data_table.tsx'
import { type Route, routeLink } from '../../route.ts'
import { runAddress } from '../run/run_row.tsx'

/** null: the page has no eval. */
function findEvaluation({ page }: Model): PageEvaluation | null {
  const { evaluation } = page.extras
  return evaluation !== undefined && 'value' in evaluation ? evaluation.value : null
}

const chips = { pass: 'pass', fail: 'fail', skip: 'inconclusive' } satisfies Record<EvalCaseResult['verdict'], string>

export function VerdictsView({ model, route }: { model: Model; route: Route }) {
  const { evaluation } = model.page.extras
  if (evaluation === undefined) return null
  if (!('value' in evaluation)) return <JsonValueTree value={evaluation.raw} />
  const { cases, golden, reports } = evaluation.value
  const wanted = (route.query.q ?? '').toLowerCase()
  const shown = cases.filter((one) => searchedText(one).includes(wanted))
  return (
    <>
      {golden?.stopped != null && (
        <div class="banner">
          <p>
            Partial: <bdi>{golden.stopped}</bdi>
          </p>
        </div>
      )}
      <section aria-labelledby="verdicts">
        <h2 id="verdicts">
          Verdicts <small>{shown.length === cases.length ? cases.length : `${shown.length} of ${cases.length}`}</small>
        </h2>
        <ListTable
          columns={['case', 'verdict', 'why', 'time', 'cost']}
          words={['case', 'verdict', 'why']}
          kind="verdicts"
        >
          {shown.map((one) => (
            <Row key={one.eval_id} model={model} one={one} line={findGoldenLine(golden, one)} />
          ))}
        </ListTable>
        {shown.length === 0 && <p class="empty">No case matches.</p>}
      </section>
      {reports.length > 0 && <Reports reports={reports} />}
    </>
  )
}

function searchedText({ eval_name, target, category, verdict, reason }: EvalCaseResult): string {
  return `${eval_name} ${target ?? ''} ${category ?? ''} ${verdict} ${reason ?? ''}`.toLowerCase()
}

function findGoldenLine(golden: PageEvaluation['golden'], { eval_name }: EvalCaseResult): GoldenRunLine | null {
  return golden?.lines.find(({ test_id }) => test_id === eval_name) ?? null
}

function Row({ model, one, line }: { model: Model; one: EvalCaseResult; line: GoldenRunLine | null }) {
  const { verdict, cached = false, duration_seconds: took, cost_usd: usd, eval_id, eval_name, target, category } = one
  return (
    <tr>
      <th scope="row">
        <a href={routeLink(['case', eval_id])}>
          <bdi>{revealHidden(eval_name)}</bdi>
        </a>{' '}
        <span class="chips">
          {[target, category].map((tag) => tag !== null && <em class="tag">{revealHidden(tag)}</em>)}
        </span>
      </th>
      <td class="left">
        <span class={`chip ${chips[verdict]}`}>{verdict}</span> {cached && <em class="tag">cached</em>}
      </td>
      <td class="left said">
        <Why model={model} one={one} line={line} />
      </td>
      <td data-column="time">{took === null ? '–' : displaySeconds(took)}</td>
      <td data-column="cost">{usd === null ? '–' : displayDollars(usd)}</td>
    </tr>
  )
}

/** The reason of a failure, else the judge's; checks, scores, and the run with all its evidence. */
function Why({ model, one, line }: { model: Model; one: EvalCaseResult; line: GoldenRunLine | null }) {
  const run = model.ofCase(model.caseAt(one.eval_id))[0]
  const failed = one.checks.filter(({ passed }) => !passed)
  const told = one.reason ?? one.judge?.reason ?? null
  return (
    <>
      {line !== null && line.hard_fails.length > 0 && (
        <p>
          <span class="chip fail">hard fail</span> <bdi>{revealHidden(line.hard_fails.join(', '))}</bdi>
        </p>
      )}
      {told !== null && <p>{revealHidden(told)}</p>}
      {line !== null && line.weighted_score !== null && Object.keys(line.scores).length > 0 && (
        <p class="quiet">
          {Object.entries(line.scores)
            .map(([name, score]) => `${revealHidden(name)} ${score}`)
            .join(' · ')}{' '}
          = {line.weighted_score.toFixed(2)}
        </p>
      )}
      {one.warnings.map((text) => (
        <p key={text}>
          <em class="tag warn">warning</em> {revealHidden(text)}
        </p>
      ))}
      <p class="quiet">
        {one.checks.length > 0 &&
          `${one.checks.length - failed.length} of ${displayPlural(one.checks.length, 'check')} passed`}
        {one.checks.length > 0 && run !== undefined && ' · '}
        {run !== undefined && <a href={runAddress(model.run(run))}>Show the run</a>}
      </p>
    </>
  )
}

/** The verdict of the open case. */
export function CaseVerdict({ model, evalId }: { model: Model; evalId: number }) {
  const found = findEvaluation(model)
  const one = found?.cases.find(({ eval_id }) => eval_id === evalId)
  if (found === null || one === undefined) return null
  return (
    <section class="card case-verdict said" aria-labelledby="verdict">
      <h2 id="verdict">
        <span class={`chip ${chips[one.verdict]}`}>{one.verdict}</span> {one.cached && <em class="tag">cached</em>}
      </h2>
      <Why model={model} one={one} line={findGoldenLine(found.golden, one)} />
    </section>
  )
}

function Reports({ reports }: Pick<PageEvaluation, 'reports'>) {
  return (
    <section aria-labelledby="reports">
      <h2 id="reports">
        Reports of the package <small>newest first; as of when this page was written</small>
      </h2>
      <ListTable
        columns={['report', 'model', 'passed', 'failed', 'skipped', 'pass rate']}
        words={['report', 'model']}
        kind="stacks"
      >
        {reports.map(({ id, timestamp, model, summary }) => (
          <tr key={id}>
            <th scope="row">
              <time dateTime={timestamp}>{revealHidden(timestamp.slice(0, 19).replace('T', ' '))}</time>
            </th>
            <td class="left" data-column="model">
              <bdi>{revealHidden(model ?? '–')}</bdi>
            </td>
            <td data-column="passed">{summary.passed}</td>
            <td data-column="failed">{summary.failed}</td>
            <td data-column="skipped">{summary.skipped}</td>
            <td data-column="pass rate">{summary.pass_rate === null ? '–' : displayPercent(summary.pass_rate)}</td>
          </tr>
        ))}
      </ListTable>
    </section>
  )
}

/** Of an eval: a verdict a case with its reason and its way to the evidence; scores of golden tests; reports over time. */
import type { EvalCaseResult } from '../../schemas/eval_result.ts'
import type { GoldenRunLine } from '../../schemas/golden.ts'
import type { PageEvaluation } from '../../schemas/page.ts'
import type { Model } from '../data/model.ts'
import { Tree } from '../parts/json_tree.tsx'
import { Listed } from '../parts/listed.tsx'
import { link, type Route } from '../route.ts'
import { dollars, percent, plural, seconds, visible } from '../words.ts'
import { addressOf } from './runs.tsx'

/** null: the page is of no eval. */
function evaluationOf({ page }: Model): PageEvaluation | null {
  const { evaluation } = page.extras
  return evaluation !== undefined && 'value' in evaluation ? evaluation.value : null
}

const chips = { pass: 'pass', fail: 'fail', skip: 'inconclusive' } satisfies Record<EvalCaseResult['verdict'], string>

export function Verdicts({ model, route }: { model: Model; route: Route }) {
  const { evaluation } = model.page.extras
  if (evaluation === undefined) return null
  if (!('value' in evaluation)) return <Tree value={evaluation.raw} />
  const { cases, golden, reports } = evaluation.value
  const wanted = (route.query.q ?? '').toLowerCase()
  const shown = cases.filter((one) => textOf(one).includes(wanted))
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
        <Listed columns={['case', 'verdict', 'why', 'time', 'cost']} words={['case', 'verdict', 'why']} kind="verdicts">
          {shown.map((one) => (
            <Row key={one.eval_id} model={model} one={one} line={lineOf(golden, one)} />
          ))}
        </Listed>
        {shown.length === 0 && <p class="empty">No case matches.</p>}
      </section>
      {reports.length > 0 && <Reports reports={reports} />}
    </>
  )
}

function textOf({ eval_name, target, category, verdict, reason }: EvalCaseResult): string {
  return `${eval_name} ${target ?? ''} ${category ?? ''} ${verdict} ${reason ?? ''}`.toLowerCase()
}

function lineOf(golden: PageEvaluation['golden'], { eval_name }: EvalCaseResult): GoldenRunLine | null {
  return golden?.lines.find(({ test_id }) => test_id === eval_name) ?? null
}

function Row({ model, one, line }: { model: Model; one: EvalCaseResult; line: GoldenRunLine | null }) {
  const { verdict, cached = false, duration_seconds: took, cost_usd: usd, eval_id, eval_name, target, category } = one
  return (
    <tr>
      <th scope="row">
        <a href={link(['case', eval_id])}>
          <bdi>{visible(eval_name)}</bdi>
        </a>{' '}
        <span class="chips">
          {[target, category].map((tag) => tag !== null && <em class="tag">{visible(tag)}</em>)}
        </span>
      </th>
      <td class="left">
        <span class={`chip ${chips[verdict]}`}>{verdict}</span> {cached && <em class="tag">cached</em>}
      </td>
      <td class="left said">
        <Why model={model} one={one} line={line} />
      </td>
      <td>{took === null ? '–' : seconds(took)}</td>
      <td>{usd === null ? '–' : dollars(usd)}</td>
    </tr>
  )
}

/** The reason of a failure, else what the judge said; checks, scores, and the run with all its evidence. */
function Why({ model, one, line }: { model: Model; one: EvalCaseResult; line: GoldenRunLine | null }) {
  const run = model.ofCase(model.caseAt(one.eval_id))[0]
  const failed = one.checks.filter(({ passed }) => !passed)
  const told = one.reason ?? one.judge?.reason ?? null
  return (
    <>
      {line !== null && line.hard_fails.length > 0 && (
        <p>
          <span class="chip fail">hard fail</span> <bdi>{visible(line.hard_fails.join(', '))}</bdi>
        </p>
      )}
      {told !== null && <p>{visible(told)}</p>}
      {line !== null && Object.keys(line.scores).length > 0 && (
        <p class="quiet">
          {Object.entries(line.scores)
            .map(([name, score]) => `${visible(name)} ${score}`)
            .join(' · ')}{' '}
          = {line.weighted_score.toFixed(2)}
        </p>
      )}
      {one.warnings.map((text) => (
        <p key={text}>
          <em class="tag warn">warning</em> {visible(text)}
        </p>
      ))}
      <p class="quiet">
        {one.checks.length > 0 && `${one.checks.length - failed.length} of ${plural(one.checks.length, 'check')} met`}
        {one.checks.length > 0 && run !== undefined && ' · '}
        {run !== undefined && <a href={addressOf(model.run(run))}>the run and its evidence</a>}
      </p>
    </>
  )
}

/** Of the case that is open. */
export function VerdictOf({ model, evalId }: { model: Model; evalId: number }) {
  const found = evaluationOf(model)
  const one = found?.cases.find(({ eval_id }) => eval_id === evalId)
  if (found === null || one === undefined) return null
  return (
    <section class="card case-verdict said" aria-labelledby="verdict">
      <h2 id="verdict">
        <span class={`chip ${chips[one.verdict]}`}>{one.verdict}</span> {one.cached && <em class="tag">cached</em>}
      </h2>
      <Why model={model} one={one} line={lineOf(found.golden, one)} />
    </section>
  )
}

function Reports({ reports }: Pick<PageEvaluation, 'reports'>) {
  return (
    <section aria-labelledby="reports">
      <h2 id="reports">
        Reports of the package <small>newest first; as of when this page was made</small>
      </h2>
      <Listed columns={['report', 'model', 'passed', 'failed', 'skipped', 'pass rate']} words={['report', 'model']}>
        {reports.map(({ id, timestamp, model, summary }) => (
          <tr key={id}>
            <th scope="row">
              <time dateTime={timestamp}>{visible(timestamp.slice(0, 19).replace('T', ' '))}</time>
            </th>
            <td class="left">
              <bdi>{visible(model ?? '–')}</bdi>
            </td>
            <td>{summary.passed}</td>
            <td>{summary.failed}</td>
            <td>{summary.skipped}</td>
            <td>{summary.pass_rate === null ? '–' : percent(summary.pass_rate)}</td>
          </tr>
        ))}
      </Listed>
    </section>
  )
}

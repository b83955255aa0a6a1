/** The view of one case: prompt, input files, every statement by run, the configurations side by side, and the diff of two runs. */

import type { PageCase } from '../../../schemas/page.ts'
import { columnEntry, type Model } from '../../data/model.ts'
import { ownEntry } from '../../data/own_property.ts'
import { caseNoteId } from '../../data/review/feedback.ts'
import { collectMessages, whyNoDifference } from '../../data/why_missing.ts'
import { displayArm, displayPlural } from '../../format.ts'
import { Forest } from '../../parts/charts/difference_chart.tsx'
import { JsonTree } from '../../parts/content/json_tree.tsx'
import { Output } from '../../parts/content/output.tsx'
import { Text } from '../../parts/content/text.tsx'
import { Steps } from '../../parts/page/steps.tsx'
import { Note } from '../../parts/run/note.tsx'
import type { Route } from '../../route.ts'
import { routeLink } from '../../route.ts'
import { CaseVerdict } from '../overview/verdicts.tsx'
import { SideBySide } from '../run/side_by_side.tsx'
import { CaseTags, listCaseTags } from './case_tags.tsx'
import { Matrix } from './matrix.tsx'

const mostMessages = 6

export function CaseView({ model, route }: { model: Model; route: Route }) {
  const index = model.caseAt(Number(route.path[1]))
  if (index < 0) {
    return (
      <p class="empty">
        This benchmark does not have this case. <a href="#/">Go to Overview</a>
      </p>
    )
  }
  return <OneCase key={index} model={model} index={index} route={route} />
}

function OneCase({ model, index, route }: { model: Model; index: number; route: Route }) {
  const one = columnEntry(model.page.cases, index)
  const hasRuns = model.ofCase(index).length > 0
  return (
    <>
      <header class="lead">
        <p class="eyebrow">
          <a href="#/">Overview</a> › Case {one.eval_id}
          {one.eval_key !== null && (
            <>
              {' '}
              · <bdi>{one.eval_key}</bdi>
            </>
          )}
        </p>
        <div class="section-head">
          <h1>
            <bdi>{one.eval_name}</bdi> <CaseTags tags={listCaseTags(model, index)} />
          </h1>
          <Steps what="case" previous={caseAddress(model, index - 1)} next={caseAddress(model, index + 1)} />
        </div>
      </header>
      <CaseVerdict model={model} evalId={one.eval_id} />
      <Why model={model} index={index} />
      {hasRuns && <CaseSummary model={model} one={one} />}
      {one.prompt !== null && (
        <section aria-labelledby="prompt">
          <h2 id="prompt">Prompt</h2>
          <Text text={one.prompt} />
        </section>
      )}
      {one.metadata !== null && (
        <details class="card fold">
          <summary>Notes of the suite</summary>
          <JsonTree text={JSON.stringify(one.metadata)} />
        </details>
      )}
      {one.files.length > 0 && (
        <section aria-labelledby="files">
          <h2 id="files">Input files</h2>
          {one.files.map((file) => (
            <details key={file.path} class="card fold">
              <summary>{file.path}</summary>
              <Output file={file} />
            </details>
          ))}
        </section>
      )}
      {hasRuns && <Matrix model={model} index={index} />}
      <SideBySide model={model} index={index} route={route} />
      {model.page.compared === undefined && <Note model={model} id={caseNoteId(model, index)} />}
      <p class="hint">
        <a href={routeLink(['runs'], { q: `case:${one.eval_id}` })}>All runs of this case as a list</a>
      </p>
    </>
  )
}

/** The pass rate of each configuration, and the difference with its interval. */
function CaseSummary({
  model: {
    page: { arms },
  },
  one,
}: {
  model: Model
  one: PageCase
}) {
  return (
    <div class="card case-sum">
      <div>
        {arms.map((arm, place) => {
          const cell = ownEntry(one.arms, arm)
          return (
            <p key={arm}>
              <i class={`dot arm-${place}`} />
              {displayArm(arm)} <strong>{ownEntry(one.rates, arm) ?? '–'}</strong>{' '}
              <small>
                {cell === undefined
                  ? 'no run'
                  : `everything passed in ${cell.all_passed} of ${displayPlural(cell.runs, 'run')}`}
              </small>
            </p>
          )
        })}
      </div>
      {arms.length > 1 && (
        <div>
          <p class="figure">
            {one.shown.points || '–'} <small>points</small>
            {one.shown.interval !== '' && <span class="range">{one.shown.interval}</span>}
          </p>
          {one.delta !== null && (
            <Forest mean={one.delta} low={one.ci_low} high={one.ci_high} shown={one.shown} large />
          )}
        </div>
      )}
    </div>
  )
}

function caseAddress({ page: { cases } }: Model, index: number): string | null {
  const one = cases[index]
  return one === undefined ? null : routeLink(['case', one.eval_id])
}

/** Why there is no difference, and the messages of excluded runs. */
function Why({ model, index }: { model: Model; index: number }) {
  const why = whyNoDifference(model, index)
  const messages = collectMessages(model, index)
  if (why === null && messages.length === 0) return null
  return (
    <section class="banner" aria-labelledby="why">
      <h2 id="why">{why === null ? 'Excluded from the pass rates' : 'No difference'}</h2>
      {why !== null && (
        <p>
          <bdi>{why}</bdi>
        </p>
      )}
      {messages.slice(0, mostMessages).map(({ runs, text }) => (
        <p key={text}>
          <strong>{runs}</strong> <bdi>{text}</bdi>
        </p>
      ))}
      {messages.length > mostMessages && <p>{messages.length - mostMessages} more; see the runs.</p>}
    </section>
  )
}

/** One case: prompt and input files, every statement by run, the arms side by side, the diff of what two runs left behind. */

import { noteOfCase } from '../data/feedback.ts'
import { at, type Model } from '../data/model.ts'
import { own } from '../data/own.ts'
import { messagesOf, whyNoDifference } from '../data/why.ts'
import { Forest } from '../parts/forest.tsx'
import { Note } from '../parts/note.tsx'
import { Output } from '../parts/output.tsx'
import { Text } from '../parts/text.tsx'
import type { Route } from '../route.ts'
import { link } from '../route.ts'
import { armLabel, percent, plural, points } from '../words.ts'
import { CaseTags, tagsOf } from './case_tags.tsx'
import { Matrix } from './matrix.tsx'
import { SideBySide } from './side_by_side.tsx'
import { VerdictOf } from './verdicts.tsx'

const mostMessages = 6

export function CaseView({ model, route }: { model: Model; route: Route }) {
  const index = model.caseAt(Number(route.path[1]))
  if (index < 0) {
    return (
      <p class="empty">
        There is no such case here. <a href="#/">To the overview</a>
      </p>
    )
  }
  return <OneCase key={index} model={model} index={index} route={route} />
}

function OneCase({ model, index, route }: { model: Model; index: number; route: Route }) {
  const one = at(model.page.cases, index)
  const { arms } = model.page
  return (
    <>
      <header class="lead">
        <p class="eyebrow">
          Case {one.eval_id}
          {one.eval_key !== null && (
            <>
              {' '}
              · <bdi>{one.eval_key}</bdi>
            </>
          )}
        </p>
        <h1>
          <bdi>{one.eval_name}</bdi> <CaseTags tags={tagsOf(model, index)} />
        </h1>
      </header>
      <VerdictOf model={model} evalId={one.eval_id} />
      <Why model={model} index={index} />
      <div class="card case-sum">
        <div>
          {arms.map((arm, place) => {
            const cell = own(one.arms, arm)
            return (
              <p key={arm}>
                <i class={`dot arm-${place}`} />
                {armLabel(arm)} <strong>{cell?.pass_rate ? percent(cell.pass_rate.mean) : '–'}</strong>{' '}
                <small>
                  {cell === undefined ? 'no run' : `${plural(cell.runs, 'run')}, ${cell.all_passed} met everything`}
                </small>
              </p>
            )
          })}
        </div>
        {arms.length > 1 && (
          <div>
            <p class="figure">
              {one.delta === null ? '–' : points(one.delta)} <small>points</small>
              {one.ci_low !== null && one.ci_high !== null && (
                <span class="range">
                  {points(one.ci_low)} to {points(one.ci_high)}
                </span>
              )}
            </p>
            {one.delta !== null && <Forest mean={one.delta} low={one.ci_low} high={one.ci_high} large />}
          </div>
        )}
      </div>
      {one.prompt !== null && (
        <section aria-labelledby="prompt">
          <h2 id="prompt">Prompt</h2>
          <Text text={one.prompt} />
        </section>
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
      <Matrix model={model} index={index} />
      <SideBySide model={model} index={index} route={route} />
      {model.page.compared === undefined && <Note model={model} id={noteOfCase(model, index)} />}
      <p class="hint">
        <a href={link(['runs'], { q: `case:${one.eval_id}` })}>All runs of this case as a list</a>
      </p>
    </>
  )
}

/** Why there is no difference, and what the runs that are in no rate say. */
function Why({ model, index }: { model: Model; index: number }) {
  const why = whyNoDifference(model, index)
  const messages = messagesOf(model, index)
  if (why === null && messages.length === 0) return null
  return (
    <section class="banner" aria-labelledby="why">
      <h2 id="why">{why === null ? 'Left out of the rates' : 'No difference known'}</h2>
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
      {messages.length > mostMessages && <p>{messages.length - mostMessages} more; the runs say them.</p>}
    </section>
  )
}

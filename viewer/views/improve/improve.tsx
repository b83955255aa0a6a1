/** The view of an improve session: its result, how the search got there, what was changed, and what was fixed before. */
import type { History } from '../../../schemas/history.ts'
import type { Model } from '../../data/model.ts'
import { UnknownForm } from '../../parts/content/raw_artefact.tsx'
import type { Route } from '../../route.ts'
import { CertificationResult } from './certification/certification_result.tsx'
import { Confirmations } from './certification/confirmations.tsx'
import { Rounds } from './search/rounds.tsx'
import { SessionEnd } from './session_end.tsx'
import { SessionFacts } from './session_facts.tsx'
import { improveHeadline, sessionState } from './session_state.ts'
import { SkillDiff } from './skill_diff.tsx'
import { Versions } from './versions.tsx'

export function hasHistory({ page }: Model): boolean {
  return page.extras.history !== undefined
}

export function Improve({ model, route }: { model: Model; route: Route }) {
  const { history, versions } = model.page.extras
  if (history === undefined) return null
  if (!('value' in history)) return <UnknownForm title="Versions" file="history.json" raw={history.raw} />
  const { value } = history
  const { certification, confirmations = [], rounds = [], stopped, ending } = value
  // without a certification, the end of the session is its result
  const isEndFirst = certification == null && (stopped ?? ending) !== undefined
  return (
    <>
      <Result history={value} />
      {certification != null && <CertificationResult model={model} certification={certification} />}
      {isEndFirst && <SessionEnd history={value} />}
      {confirmations.length > 0 && <Confirmations model={model} confirmations={confirmations} />}
      {rounds.length > 0 ? (
        <Rounds model={model} route={route} history={value} rounds={rounds} />
      ) : (
        <Versions iterations={value.iterations} />
      )}
      {versions !== undefined && <SkillDiff model={model} route={route} names={versions.names} />}
      {!isEndFirst && <SessionEnd history={value} />}
      <SessionFacts history={value} />
    </>
  )
}

const results = { won: 'won', lost: 'not won: worse', tie: 'not won' } as const
const colours = { won: 'pass', lost: 'fail', tie: 'inconclusive' } as const

/** The verdict, and which cases it covers. */
function Result({ history }: { history: History }) {
  const { certification } = history
  return (
    <header class="lead">
      {certification != null && (
        <p class="chips verdict">
          <span class={`chip ${colours[certification.result]}`}>{results[certification.result]}</span>
          {certification.scope === 'these_cases' && <span class="chip plain">these cases only</span>}
        </p>
      )}
      <h1>
        <bdi>{improveHeadline(history)}</bdi>
      </h1>
      {sessionState(history) === 'running' && (
        <p class="banner running">In progress: this page shows what was known when it was written.</p>
      )}
    </header>
  )
}

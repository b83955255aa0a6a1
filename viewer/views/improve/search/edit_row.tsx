/** An edit in a line with its estimated effect; open: why, its files, its diff, and its effect on each training case. */
import type { ProposedEdit, RoundProposal } from '../../../../schemas/history/round.ts'
import type { Model } from '../../../data/model.ts'
import { displayFinePoints, displayPercent, displayPlural, displayRates } from '../../../format.ts'
import { EffectBar } from '../../../parts/charts/effect_bar.tsx'
import { Patch } from '../../../parts/content/patch.tsx'
import { ListTable } from '../../../parts/layout/data_table.tsx'
import { Fold } from '../../../parts/layout/fold.tsx'
import { amendRoute, type Route } from '../../../route.ts'
import { CaseName } from '../case_name.tsx'
import { editOutcome, outcomeMarks } from './edit_outcome.ts'
import { Refusal } from './refusal.tsx'

interface Props {
  model: Model
  route: Route
  edit: ProposedEdit
  proposal: RoundProposal
  scale: number
}

export function EditRow({ model, route, edit, proposal, scale }: Props) {
  const { id, summary, effect } = edit
  const outcome = editOutcome(edit, proposal)
  return (
    <Fold
      kind="edit"
      asked={route.query.edit === id}
      ask={(asked) => amendRoute(route, { edit: asked ? id : undefined })}
      summary={
        <>
          <span class={`sign ${outcome.replaceAll(' ', '-')}`} aria-hidden="true">
            {outcomeMarks[outcome]}
          </span>
          <span class="edit-name">
            <bdi class="edit-id">{id}</bdi> <bdi>{summary}</bdi>
          </span>
          <span class="effect">
            {effect !== null && <EffectBar effect={effect} scale={scale} />}
            {effect !== null && <strong>{displayFinePoints(effect)}</strong>}
          </span>
          <span class={outcome === 'refused' ? 'tag bad' : 'tag'}>{outcome}</span>
        </>
      }
    >
      {() => <Detail model={model} edit={edit} />}
    </Fold>
  )
}

function Detail({ model, edit }: Pick<Props, 'model' | 'edit'>) {
  const { why, files, diff, refused, effect, runs_with, runs_without, cases } = edit
  return (
    <div class="edit-detail">
      {refused !== undefined && <Refusal {...refused} />}
      <p class="text">{why}</p>
      {effect !== null && (
        <p class="hint">
          {displayPlural(runs_with, 'run')} with the edit, {runs_without} without
        </p>
      )}
      <ul class="changes">
        {files.map(({ path, change, lines_added, lines_removed }, place) => (
          <li key={`${place}`}>
            <code>
              <bdi>{path}</bdi>
            </code>{' '}
            <small>
              {change}, +{lines_added} -{lines_removed}
            </small>
          </li>
        ))}
      </ul>
      {diff !== '' && <Fold summary="Diff">{() => <Patch text={diff} />}</Fold>}
      {cases.length > 0 && (
        <Fold summary={`Effect on each training case (${cases.length})`}>
          {() => <CaseEffects model={model} cases={cases} />}
        </Fold>
      )}
    </div>
  )
}

/** The columns of rates need both kinds of runs for a difference. */
function CaseEffects({ model, cases }: { model: Model; cases: ProposedEdit['cases'] }) {
  const rate = (value: number | null) => (value === null ? '–' : displayPercent(value))
  return (
    <ListTable columns={['case', 'without', 'with', 'points']} words={['case']} kind="case-rates" bare>
      {cases.map(({ eval_id, with: own, without }) => {
        const both = own === null || without === null ? null : displayRates(own, without)
        return (
          <tr key={eval_id}>
            <th scope="row">
              <CaseName model={model} evalId={eval_id} />
            </th>
            <td>{both?.baseline ?? rate(without)}</td>
            <td>{both?.candidate ?? rate(own)}</td>
            <td>{both?.difference ?? '–'}</td>
          </tr>
        )
      })}
    </ListTable>
  )
}

/** Shows a run of the previous iteration: its note, answer and files, or the lines that differ from the current run. */
import { useState } from 'preact/hooks'
import type { RunDetail } from '../../../schemas/page.ts'
import { finalAnswer } from '../../data/answer.ts'
import { loadPreviousRun } from '../../data/load_on_demand.ts'
import type { Model, Run } from '../../data/model.ts'
import { noteId, previousNote } from '../../data/review/feedback.ts'
import { revealHidden } from '../../format.ts'
import { Output } from '../content/output.tsx'
import { Text } from '../content/text.tsx'
import { Diff, FilesDiff } from '../content/text_diff.tsx'
import { useAsync } from '../page/delayed.ts'

interface Props {
  model: Model
  run: Run
  detail: RunDetail
}

export function hasPreviousRun({ runs }: Model, run: Run): boolean {
  return (runs.before?.[run.index] ?? 0) > 0
}

export function PreviousRun({ model, run, detail }: Props) {
  const found = useAsync(() => loadPreviousRun(model, run.index), [model, run.index])
  const [isDiff, setDiff] = useState(false)
  const before = found === undefined ? undefined : 'problem' in found ? null : found.value
  if (before === undefined) return <p class="empty">Reading…</p>
  if (before === null) return <p class="empty">The page does not carry it.</p>
  const note = previousNote(model, noteId(run))
  return (
    <>
      <div class="section-head">
        <h3>
          <bdi>{revealHidden(model.page.previous_name ?? '')}</bdi>
        </h3>
        <button type="button" aria-pressed={isDiff} onClick={() => setDiff(!isDiff)}>
          {isDiff ? 'Show previous' : 'Show differences'}
        </button>
      </div>
      {note !== null && <blockquote class="text">{note}</blockquote>}
      <article class="pair">
        <h3>final answer</h3>
        {isDiff ? (
          <Diff before={before.answer ?? ''} after={finalAnswer(detail) ?? ''} />
        ) : before.answer === null ? (
          <p class="empty">The answer was not recorded.</p>
        ) : (
          <Text text={before.answer} />
        )}
      </article>
      {before.outputs.map((file) => {
        const now = detail.outputs.find(({ path }) => path === file.path)
        return isDiff && file.as === 'text' && now?.as === 'text' ? (
          <article key={file.path} class="pair">
            <h3>
              <bdi>{revealHidden(file.path)}</bdi>
            </h3>
            <FilesDiff before={file} after={now} />
          </article>
        ) : (
          <Output key={file.path} file={file} />
        )
      })}
    </>
  )
}

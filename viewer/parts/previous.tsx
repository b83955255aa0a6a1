/** A run as it was in the iteration before: the note on it, its answer and files, or the lines in which they differ from now. */
import { useState } from 'preact/hooks'
import type { RunDetail } from '../../schemas/page.ts'
import { answerOf } from '../data/answer.ts'
import { noteOf, previousNote } from '../data/feedback.ts'
import { beforeOf } from '../data/load.ts'
import type { Model, Run } from '../data/model.ts'
import { visible } from '../words.ts'
import { Diff, FilesDiff } from './diff.tsx'
import { useLater } from './later.ts'
import { Output } from './output.tsx'
import { Text } from './text.tsx'

interface Props {
  model: Model
  run: Run
  detail: RunDetail
}

export function hasBefore({ runs }: Model, run: Run): boolean {
  return (runs.before?.[run.index] ?? 0) > 0
}

export function Previous({ model, run, detail }: Props) {
  const found = useLater(() => beforeOf(model, run.index), [model, run.index])
  const [isDiff, setDiff] = useState(false)
  const before = found === undefined ? undefined : 'problem' in found ? null : found.value
  if (before === undefined) return <p class="empty">Reading…</p>
  if (before === null) return <p class="empty">The page does not carry it.</p>
  const note = previousNote(model, noteOf(run))
  return (
    <>
      <div class="section-head">
        <h3>
          <bdi>{visible(model.page.previous_name ?? '')}</bdi>
        </h3>
        <button type="button" aria-pressed={isDiff} onClick={() => setDiff(!isDiff)}>
          {isDiff ? 'As it was' : 'Differences to now'}
        </button>
      </div>
      {note !== null && <blockquote class="text">{note}</blockquote>}
      <article class="pair">
        <h3>final answer</h3>
        {isDiff ? (
          <Diff before={before.answer ?? ''} after={answerOf(detail) ?? ''} />
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
              <bdi>{visible(file.path)}</bdi>
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

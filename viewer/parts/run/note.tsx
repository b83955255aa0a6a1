/** A person's note on a run or a case, in skill-creator's feedback.json format: downloaded from a file, saved at once when served. */
import type { ComponentChildren } from 'preact'
import type { Model } from '../../data/model.ts'
import { previousNote, saveFeedback, useFeedback } from '../../data/review/feedback.ts'

/** On a page of two benchmarks notes are read-only, because each belongs to its own benchmark. */
function ReadOnlyNote({ text }: { text: string }) {
  if (text === '') return null
  return (
    <section aria-labelledby="note">
      <h2 id="note">Note</h2>
      <blockquote class="text">{text}</blockquote>
    </section>
  )
}

/** `id`: of a run or a case. */
export function Note({ model, id, children }: { model: Model; id: string; children?: ComponentChildren }) {
  const { notes, write, state } = useFeedback(model)
  if (model.page.compared !== undefined) return <ReadOnlyNote text={notes.get(id)?.feedback ?? ''} />
  const previous = previousNote(model, id)
  return (
    <section class="notebox" aria-labelledby="note">
      <h2 id="note">Your note</h2>
      {previous !== null && (
        <blockquote class="text">
          <small>last time</small> {previous}
        </blockquote>
      )}
      {children}
      <textarea
        aria-labelledby="note"
        rows={2}
        placeholder="What is good, what is missing?"
        value={notes.get(id)?.feedback ?? ''}
        onInput={(event) => write(id, event.currentTarget.value)}
      />
      <p class="section-head">
        <small role="status">{state}</small>
        {notes.size > 0 && (
          <button type="button" onClick={saveFeedback}>
            Download feedback.json
          </button>
        )}
      </p>
    </section>
  )
}

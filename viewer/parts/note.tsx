/** A person's note on a run, kept as skill-creator's feedback.json: downloaded from a file, saved at once when served. */

import { noteOf, saveFeedback, useFeedback } from '../data/feedback.ts'
import type { Model, Run } from '../data/model.ts'

/** On a page of two benchmarks notes are read: each belongs to its own. */
function Said({ text }: { text: string }) {
  if (text === '') return null
  return (
    <section aria-labelledby="note">
      <h2 id="note">The note on it</h2>
      <blockquote class="text">{text}</blockquote>
    </section>
  )
}

export function Note({ model, run }: { model: Model; run: Run }) {
  const { notes, write, state } = useFeedback(model)
  const id = noteOf(run)
  if (model.page.compared !== undefined) return <Said text={notes.get(id)?.feedback ?? ''} />
  const previous = model.page.previous.find((one) => one.run_id === id)
  return (
    <section class="notebox" aria-labelledby="note">
      <h2 id="note">Your note</h2>
      {previous !== undefined && previous.feedback !== '' && (
        <blockquote class="text">
          <small>last time</small> {previous.feedback}
        </blockquote>
      )}
      <textarea
        aria-labelledby="note"
        rows={4}
        placeholder="What is good, what is missing?"
        value={notes.get(id)?.feedback ?? ''}
        onInput={(event) => write(id, event.currentTarget.value)}
      />
      <p class="section-head">
        <small role="status">{state}</small>
        <button type="button" disabled={notes.size === 0} onClick={() => saveFeedback(model)}>
          Download feedback.json
        </button>
      </p>
    </section>
  )
}

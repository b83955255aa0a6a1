/** A person's note on a run, kept as skill-creator's feedback.json: downloaded from a file, saved at once when served. */

import { noteOf, saveFeedback, useFeedback } from '../data/feedback.ts'
import type { Model, Run } from '../data/model.ts'

export function Note({ model, run }: { model: Model; run: Run }) {
  const { notes, write, state } = useFeedback(model)
  const id = noteOf(run)
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

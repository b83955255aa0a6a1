/** The help dialog: what the keys do, and what the search understands. */
import { useLayoutEffect, useRef } from 'preact/hooks'

const keys = [
  ['j k ↓ ↑', 'move through a list'],
  ['Enter', 'open what is selected'],
  ['u', 'up: from a run to its case, from a case to the overview'],
  ['[ ]', 'previous and next run or case'],
  ['← →', 'previous and next part of a run: transcript, outputs, raw'],
  ['y n x', 'in an audit: agree, disagree, undo'],
  ['/', 'search'],
  ['1 … 9', 'the tabs'],
  ['t', 'theme: dark, light, system'],
  ['?', 'this help'],
] as const

const words = [
  ['invoice', 'case name, number, statement or message with this text'],
  ['arm:with_skill', 'runs of this configuration'],
  ['case:3', 'runs of this case'],
  ['status:failed', 'passed, partial, failed, timed_out, excluded, or a reason such as cancelled'],
  ['failed:total', 'an expectation or check with this text failed in the run; also passed:, failed:"more words"'],
  [
    'is:unverified',
    'undecided, unverified, suspicious, flaky (its case varies between runs), regression, read, unread, error, asked (the user)',
  ],
  ['cost>0.1', 'also time, tokens, calls, errors, rate; with > < ='],
  ['-arm:with_skill', 'a minus excludes what matches'],
] as const

export function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  // before the paint, so that Escape right after the opening key closes it
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="help">
      <div class="section-head">
        <h2 id="help">Keyboard and search</h2>
        <button type="button" class="ghost" onClick={() => dialog.current?.close()} aria-label="Close">
          ✕
        </button>
      </div>
      <dl class="keys">
        {[...keys, ...words].map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  )
}

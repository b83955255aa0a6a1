/** A line of text in which `code` between backticks is set as code. */
import { Fragment } from 'preact'

export function CodeSpans({ text }: { text: string }) {
  return (
    <bdi>
      {text
        .split(/`([^`\n]+)`/)
        .map((part, index) =>
          index % 2 === 1 ? <code key={`${index}`}>{part}</code> : <Fragment key={`${index}`}>{part}</Fragment>,
        )}
    </bdi>
  )
}

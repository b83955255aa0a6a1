/** A table that scrolls in its box, with a head: words are left-aligned, numbers right-aligned. */
import type { ComponentChildren } from 'preact'
import { scrollable } from './focusable_scroll.ts'

interface Props {
  /** '': a column without a name. */
  columns: readonly string[]
  /** The columns of words; the others are numbers. */
  words?: readonly string[]
  caption?: string
  /** The table's class, in addition to the usual one. */
  kind?: string
  /** Without a card, for a table that is already on one. */
  bare?: boolean
  /** The rows. */
  children: ComponentChildren
}

export function ListTable({ columns, words = [], caption, kind = '', bare = false, children }: Props) {
  return (
    <div class={bare ? 'scroll' : 'card scroll'} {...scrollable}>
      <table class={`plain ${kind}`}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map((name) =>
              name === '' ? (
                <td key={name} />
              ) : (
                <th key={name} scope="col" class={words.includes(name) ? 'left' : undefined}>
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

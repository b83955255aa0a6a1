/** A table that scrolls in its box, with a head: words stand left, numbers right. */
import type { ComponentChildren } from 'preact'
import { scrolls } from './scrolls.ts'

interface Props {
  /** '': a column without a name. */
  columns: readonly string[]
  /** The columns of words; the others are of numbers. */
  words?: readonly string[]
  caption?: string
  /** Of the table, beside its usual class. */
  kind?: string
  /** Not on a card: it stands on one. */
  bare?: boolean
  /** Its rows. */
  children: ComponentChildren
}

export function Listed({ columns, words = [], caption, kind = '', bare = false, children }: Props) {
  return (
    <div class={bare ? 'scroll' : 'card scroll'} {...scrolls}>
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

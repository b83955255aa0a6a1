/** Links to another benchmark's page if that is next to this one: not in a copy elsewhere, and not on a server of one benchmark. */
import type { ComponentChildren } from 'preact'
import type { Model } from '../../data/model.ts'
import { ownEntry } from '../../data/own_property.ts'

interface Props {
  model: Model
  /** The benchmark's folder as an artefact states it. */
  folder: string | undefined
  children: ComponentChildren
}

const isInPlace = location.protocol === 'file:' && location.pathname.endsWith('/report.html')

export function ReportLink({ model, folder = '', children }: Props) {
  const href = ownEntry(model.page.extras.reports ?? {}, folder.split('/').at(-1) ?? '')
  return isInPlace && href !== undefined ? <a href={href}>{children}</a> : children
}

/** The in-memory form of a set of trigger queries, whatever its file format, and where it is found. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { LoadWarning } from '../../../../schemas/suite.ts'
import type { TriggerResult } from '../../../../schemas/triggers.ts'
import { UserError } from '../../../base/errors/error.ts'
import { listEntries } from '../../../base/fs/files.ts'

/** `query_id`: its position in the set, from 1; `id`: the set's own; `note`: its reason, note or category; `draft`: not reviewed. */
export type TriggerQuery = Pick<
  TriggerResult,
  'query_id' | 'id' | 'query' | 'should_trigger' | 'split' | 'note' | 'draft'
>

export interface QuerySet {
  /** Absolute. */
  path: string
  sha256: string
  /** Format of its file, such as "list". */
  format: string
  queries: TriggerQuery[]
  warnings: LoadWarning[]
}

const folders = ['evals', '', 'tests', 'triggers'] as const
const stems = ['trigger-eval', 'trigger-evals', 'trigger_eval', 'trigger_evals', 'trigger-queries', 'trigger_queries']
const names = [...stems, 'trigger-cases', 'trigger_eval_set', 'eval_queries', 'triggers'].map((stem) => `${stem}.json`)

/** Absolute path of the file. Throws UserError if there is none, or more than one. */
export function findQuerySet(skill: string): string {
  const named = folders.flatMap((folder) => names.map((name) => path.join(skill, folder, name))).filter(existsSync)
  const tables = listEntries(path.join(skill, 'evals')).filter(({ name }) => name.endsWith('.prompts.csv'))
  const found = [...named, ...tables.map(({ name }) => path.join(skill, 'evals', name))]
  const [only, another] = found
  if (only === undefined) {
    const fix = `name it with --set FILE, or draft one: whetstone triggers ${skill} --generate 20`
    throw new UserError(`${skill}: no trigger queries found (looked for evals/trigger-eval.json)`, fix)
  }
  if (another === undefined) return only
  throw new UserError(`${skill}: several sets of trigger queries (${found.join(', ')})`, 'choose one with --set FILE')
}

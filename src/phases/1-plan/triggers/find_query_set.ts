/** Finds a skill's set of trigger queries if no file is named. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { UserError } from '../../../base/errors/error.ts'

const folders = ['evals', '', 'tests', 'triggers'] as const
const stems = ['trigger-eval', 'trigger-evals', 'trigger_eval', 'trigger_evals', 'trigger-queries', 'trigger_queries']
const names = [...stems, 'trigger-cases', 'trigger_eval_set', 'eval_queries', 'triggers'].map((stem) => `${stem}.json`)

/** Absolute path of the file. Throws UserError if there is none, or more than one. */
export function findQuerySet(skill: string): string {
  const found = folders.flatMap((folder) => names.map((name) => path.join(skill, folder, name))).filter(existsSync)
  const [only, another] = found
  if (only === undefined) {
    const fix = `name it with --set FILE, or draft one: whetstone triggers ${skill} --generate 20`
    throw new UserError(`${skill}: no trigger queries found (looked for evals/trigger-eval.json)`, fix)
  }
  if (another === undefined) return only
  throw new UserError(`${skill}: several sets of trigger queries (${found.join(', ')})`, 'choose one with --set FILE')
}

/** A skill in a repository, and where its settings may lie. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeSkill } from '../../e2e/program.ts'

/** The name of a file of settings. */
export const yaml = 'whetstone.config.yaml'

const evals = [{ id: 1, prompt: 'x', checks: [{ type: 'contains', value: 'TIDY' }] }]

/** A skill in a repository of its own, with these files in the folder above it. */
export function makeRepository(files: Record<string, string>, inSkill: Record<string, string> = {}) {
  const skill = makeSkill(evals, inSkill)
  const root = path.dirname(skill)
  mkdirSync(path.join(root, '.git'))
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, name), text)
  return { skill, root }
}

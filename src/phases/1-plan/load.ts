/** Finds and loads the suite of a skill. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Suite } from '../../../schemas/suite.ts'
import { loadEvalsJson } from './formats/evals_json.ts'

export async function loadSuite(place: string): Promise<Suite> {
  const isFolder = (await stat(place).catch(() => null))?.isDirectory() ?? false
  const file = isFolder ? path.join(place, 'evals/evals.json') : place
  return loadEvalsJson(file, isFolder ? place : path.dirname(path.dirname(place)))
}

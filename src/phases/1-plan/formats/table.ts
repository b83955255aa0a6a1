/** The table of suite formats, tried in this order. */
import type { Suite } from '../../../../schemas/suite.ts'
import type { InspectedSuite } from '../inspected.ts'
import { evalsJsonPlaces, findEvalsJson, inspectEvalsJson, loadEvalsJson } from './evals_json.ts'
import { findPluginEval, inspectPluginEval, loadPluginEval, pluginEvalPlaces } from './plugin_eval.ts'

/** One suite format. */
export interface SuiteFormat {
  /** Where it lies in a skill's folder, for messages. */
  places: readonly string[]
  /** The suite of a skill's folder, a file or a folder; null: it has none of this format. */
  find(folder: string): Promise<string | null>
  /** Whether an explicitly named file is to be read as this format, judged by its name. */
  reads(file: string): boolean
  /** Both paths absolute. Throws UserError for a file that can't be used. */
  load(file: string, skillRoot: string): Promise<Suite>
  /** The same for a check: every mistake is listed, and only what no case can be read from throws. */
  inspect(file: string, skillRoot: string): Promise<InspectedSuite>
}

export const formats = {
  'evals.json': {
    places: evalsJsonPlaces,
    find: findEvalsJson,
    reads: (file) => file.endsWith('.json'),
    load: loadEvalsJson,
    inspect: inspectEvalsJson,
  },
  'plugin-eval': {
    places: pluginEvalPlaces,
    find: findPluginEval,
    reads: (file) => /[/\\](prompt\.md|case\.yaml)$/.test(file),
    load: loadPluginEval,
    inspect: inspectPluginEval,
  },
} satisfies Record<string, SuiteFormat>

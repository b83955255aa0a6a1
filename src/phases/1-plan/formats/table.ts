/** The table of suite formats, tried in this order. */
import type { Suite } from '../../../../schemas/suite.ts'
import type { InspectedSuite } from '../inspected.ts'
import { aamPlaces, discoverAam, findAam, inspectAam, loadAam, rootOfAam } from './aam.ts'
import {
  discoverEvalComments,
  evalCommentPlaces,
  hasEval,
  inspectEvalComments,
  isSourceFile,
  loadEvalComments,
} from './eval_comment.ts'
import { discoverEvalMd, evalMdPlaces, findEvalMd, inspectEvalMd, isEvalMd, loadEvalMd } from './eval_md.ts'
import { evalsJsonPlaces, findEvalsJson, inspectEvalsJson, isMeantAsEvals, loadEvalsJson } from './evals_json.ts'
import {
  discoverGolden,
  findGolden,
  goldenPlaces,
  inspectGolden,
  isGolden,
  loadGolden,
  rootOfGolden,
} from './golden.ts'
import {
  discoverPluginEval,
  findPluginEval,
  inspectPluginEval,
  loadPluginEval,
  pluginEvalPlaces,
} from './plugin_eval.ts'

/** The files of a tree, relative to its root, with /, sorted. */
export interface Tree {
  /** Absolute. */
  root: string
  files: readonly string[]
}

/** One suite format. */
export interface SuiteFormat {
  /** Where it lies in a skill's folder, for messages. */
  places: readonly string[]
  /** The suite of a skill's folder, a file or a folder; null: it has none of this format. */
  find(folder: string): Promise<string | null>
  /** Whether an explicitly named file is to be read as this format, judged by its name. */
  reads(file: string): boolean
  /** Whether the content of such a file is meant as a suite, right or wrong; absent: its name says so. */
  isMeant?(file: string): Promise<boolean>
  /** The suites in a tree, each a file or a folder, relative to its root; the order is the tree's. */
  discover(tree: Tree): Promise<string[]> | string[]
  /** What eval says when it meets one; absent: nothing. */
  note?: string
  /** The folder of what such a suite is about, absolute; absent: the nearest folder above that holds SKILL.md. */
  rootOf?(place: string): Promise<string> | string
  /** Both paths absolute. Throws UserError for a file that can't be used. */
  load(file: string, skillRoot: string): Promise<Suite>
  /** The same for a check: every mistake is listed, and only what no case can be read from throws. */
  inspect(file: string, skillRoot: string): Promise<InspectedSuite>
}

const bothArms = "eval runs the skill's arm only; bench runs both and compares"

export const formats = {
  'evals.json': {
    places: evalsJsonPlaces,
    find: findEvalsJson,
    note: bothArms,
    discover: ({ files }) => files.filter((file) => /(^|\/)evals\.json$/.test(file)),
    reads: (file) => file.endsWith('.json') && !file.endsWith('eval-config.json'),
    isMeant: isMeantAsEvals,
    load: loadEvalsJson,
    inspect: inspectEvalsJson,
  },
  'plugin-eval': {
    places: pluginEvalPlaces,
    find: findPluginEval,
    note: bothArms,
    discover: discoverPluginEval,
    reads: (file) => /[/\\](prompt\.md|case\.yaml)$/.test(file),
    load: loadPluginEval,
    inspect: inspectPluginEval,
  },
  'eval.md': {
    places: evalMdPlaces,
    find: findEvalMd,
    discover: discoverEvalMd,
    reads: isEvalMd,
    load: loadEvalMd,
    inspect: inspectEvalMd,
  },
  'eval-comment': {
    places: evalCommentPlaces,
    find: () => Promise.resolve(null),
    discover: discoverEvalComments,
    reads: isSourceFile,
    isMeant: hasEval,
    load: loadEvalComments,
    inspect: inspectEvalComments,
  },
  golden: {
    places: goldenPlaces,
    find: findGolden,
    discover: discoverGolden,
    rootOf: rootOfGolden,
    reads: isGolden,
    load: loadGolden,
    inspect: inspectGolden,
  },
  aam: {
    places: aamPlaces,
    find: findAam,
    discover: discoverAam,
    rootOf: rootOfAam,
    reads: (file) => /[/\\](eval-config\.json|cases[/\\][^/\\]+\.ya?ml)$/.test(file),
    load: loadAam,
    inspect: inspectAam,
  },
} satisfies Record<string, SuiteFormat>

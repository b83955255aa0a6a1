/** The table of suite formats, in the order in which they are tried. */
import type { Suite } from '../../../../schemas/suite.ts'
import type { InspectedSuite } from '../suite/inspected_suite.ts'
import { aamPlaces, discoverAam, findAam, findAamRoot, inspectAam, loadAam } from './aam.ts'
import {
  discoverEvalComments,
  evalCommentPlaces,
  hasEval,
  inspectEvalComments,
  loadEvalComments,
} from './eval_comment.ts'
import { isEvalSource } from './eval_md/comments.ts'
import { discoverEvalMd, evalMdPlaces, findEvalMd, inspectEvalMd, isEvalMd, loadEvalMd } from './eval_md.ts'
import { evalsJsonPlaces, findEvalsJson, inspectEvalsJson, isEvalsFile, loadEvalsJson } from './evals_json.ts'
import {
  discoverGolden,
  findGolden,
  findGoldenRoot,
  goldenPlaces,
  inspectGolden,
  isGolden,
  loadGolden,
} from './golden.ts'
import {
  discoverHarbor,
  findHarbor,
  findHarborRoot,
  harborPlaces,
  inspectHarbor,
  isHarborFile,
  loadHarbor,
} from './harbor.ts'
import {
  discoverOtherSuites,
  findOtherSuite,
  inspectOtherSuite,
  isOtherFile,
  isOtherSuite,
  loadOtherSuite,
  otherPlaces,
} from './others.ts'
import {
  discoverPluginEval,
  findPluginEval,
  inspectPluginEval,
  loadPluginEval,
  pluginEvalPlaces,
} from './plugin_eval.ts'

/** Files of a tree, relative to its root, with /, sorted. */
export interface FileTree {
  /** Absolute. */
  root: string
  files: readonly string[]
}

/** One suite format. */
export interface SuiteFormat {
  /** Its places in a skill's folder, for messages. */
  places: readonly string[]
  /** Finds the suite (a file or a folder) of a skill's folder; null: none in this format. */
  find(folder: string): Promise<string | null>
  /** Whether an explicitly named file belongs to this format, judged by its name. */
  reads(file: string): boolean
  /** Whether the content of such a file is a suite, valid or not; absent: the name suffices. */
  isMeant?(file: string): Promise<boolean>
  /** Finds the suites (files or folders) in a tree, relative to its root, in the tree's order. */
  discover(tree: FileTree): Promise<string[]> | string[]
  /** A note that eval prints for such a suite; absent: none. */
  note?: string
  /** Absolute folder of the suite's subject; absent: the nearest folder above with SKILL.md. */
  rootOf?(place: string): Promise<string> | string
  /** Both paths absolute. Throws UserError for an unusable file. */
  load(file: string, skillRoot: string): Promise<Suite>
  /** The same for a check: lists every mistake and throws only if no case can be read. */
  inspect(file: string, skillRoot: string): Promise<InspectedSuite>
}

const bothArms = "eval runs the skill's arm only; bench runs both and compares"

export const suiteFormats = {
  'evals.json': {
    places: evalsJsonPlaces,
    find: findEvalsJson,
    note: bothArms,
    discover: ({ files }) => files.filter((file) => /(^|\/)evals\.json$/.test(file)),
    reads: (file) => file.endsWith('.json') && !file.endsWith('eval-config.json'),
    isMeant: isEvalsFile,
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
    reads: isEvalSource,
    isMeant: hasEval,
    load: loadEvalComments,
    inspect: inspectEvalComments,
  },
  golden: {
    places: goldenPlaces,
    find: findGolden,
    discover: discoverGolden,
    rootOf: findGoldenRoot,
    reads: isGolden,
    load: loadGolden,
    inspect: inspectGolden,
  },
  aam: {
    places: aamPlaces,
    find: findAam,
    discover: discoverAam,
    rootOf: findAamRoot,
    reads: (file) => /[/\\](eval-config\.json|cases[/\\][^/\\]+\.ya?ml)$/.test(file),
    load: loadAam,
    inspect: inspectAam,
  },
  harbor: {
    places: harborPlaces,
    find: findHarbor,
    note: bothArms,
    discover: discoverHarbor,
    rootOf: findHarborRoot,
    reads: isHarborFile,
    load: loadHarbor,
    inspect: inspectHarbor,
  },
  others: {
    places: otherPlaces,
    find: findOtherSuite,
    note: bothArms,
    discover: discoverOtherSuites,
    reads: isOtherFile,
    isMeant: isOtherSuite,
    load: loadOtherSuite,
    inspect: inspectOtherSuite,
  },
} satisfies Record<string, SuiteFormat>

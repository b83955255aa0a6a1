/** Finds the pairs of two benchmarks, or of two folders that are one pair. */
import path from 'node:path'
import { evalMetadata } from '../../../schemas/eval_metadata.ts'
import { runRecord } from '../../../schemas/run.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists, walk } from '../../base/fs/files.ts'
import { missingPathError } from '../../base/fs/nearest_path.ts'
import { listBenchmarkHiddenPaths } from '../../flows/sandbox/start_sandbox.ts'
import { slug } from '../../phases/1-plan/skill/slug.ts'
import { listRunOutputs } from '../../phases/3-judge/judge/judge_folder.ts'
import { tryReadArtefact } from '../../store/artefacts/damage.ts'
import { readPlan } from '../../store/store.ts'
import {
  checkArm,
  collectBlindedNames,
  type Pairing,
  type PairSide,
  type PairsRequest,
  pairRuns,
  readFirstText,
} from './pairs.ts'

/** Pairs configurations of two benchmarks: by default the candidates; cases match by their prompt. */
export async function pairBenchmarks(
  folders: [string, string],
  request: PairsRequest,
  output: string,
): Promise<Pairing> {
  const [one, two] = [await readPlan(folders[0]), await readPlan(folders[1])]
  const a = request.a ?? one.candidate_configuration
  const b = request.b ?? two.candidate_configuration
  checkArm(one, a, 'a')
  checkArm(two, b, 'b')
  const benches = [
    { folder: folders[0], plan: one, arm: a },
    { folder: folders[1], plan: two, arm: b },
  ] as const
  const made = await pairRuns(benches, request, (each) =>
    path.join(output, `eval-${each.eval_id}-${slug(each.eval_name)}`),
  )
  const label = (arm: string, folder: string) => (a === b ? `${path.basename(folder)} ${arm}` : arm)
  return {
    ...made,
    pairs: made.pairs.map((pair) => ({
      ...pair,
      A: { ...pair.A, configuration: label(a, folders[0]), run: path.join(folders[0], pair.A.run) },
      B: { ...pair.B, configuration: label(b, folders[1]), run: path.join(folders[1], pair.B.run) },
    })),
    output,
    a: label(a, folders[0]),
    b: label(b, folders[1]),
    names: collectBlindedNames([one, two], folders),
    hidden: [one, two].flatMap((plan, index) => listBenchmarkHiddenPaths(plan, folders[index] ?? '')),
    judge: one.options.judge ?? two.options.judge,
    engine: one.options.engine,
    plan: null,
  }
}

/** Two folders as one pair. The task is `prompt`, else that of eval_metadata.json in or above one of them. */
export async function pairFolders(
  folders: [string, string],
  given: { prompt: string | null; request: PairsRequest },
  output: string,
): Promise<Pairing> {
  const { a, b } = given.request
  const sides = [
    await readFolderSide(folders[0], a ?? folders[0]),
    await readFolderSide(folders[1], b ?? folders[1]),
  ] as const
  const known = findCaseMetadata(folders[0]) ?? findCaseMetadata(folders[1])
  const prompt = given.prompt ?? known?.prompt ?? null
  if (prompt === null) {
    throw new UserError(`${folders[0]}: unknown task: no eval_metadata.json in it or above`, 'add --prompt TEXT')
  }
  const pair = {
    eval_id: known?.eval_id ?? 0,
    eval_name: known?.eval_name ?? 'two folders',
    number: 1,
    folder: output,
    task: { prompt, expectedOutput: null, expectations: known?.assertions ?? [], inputs: [] },
    A: sides[0],
    B: sides[1],
  }
  const names = folders.flatMap((folder) => folder.split(path.sep).slice(-2))
  return {
    output,
    a: sides[0].configuration,
    b: sides[1].configuration,
    pairs: [pair],
    skipped: [],
    names: { configurations: names.filter((name) => /skill|^run-\d/i.test(name)), skills: [], paths: folders },
    hidden: folders,
    judge: null,
    engine: { name: 'auto', model: null },
    plan: null,
  }
}

/** A run folder with outputs/, or a folder that is itself the output. */
async function readFolderSide(folder: string, configuration: string): Promise<PairSide> {
  if (!(await pathExists(folder))) throw missingPathError(folder, 'folder', 'pass the folder of a run')
  const record = tryReadArtefact(runRecord, path.join(folder, 'run.json'))
  const said = await readFirstText(['response.md', 'response.txt'].map((name) => path.join(folder, name)))
  const isRun = await pathExists(path.join(folder, 'outputs'))
  const outputs = isRun ? await listRunOutputs(folder) : (await walk(folder, { links: 'never' })).files
  if (outputs.length === 0 && record === null && said === null) {
    throw new UserError(
      `${folder}: contains nothing to compare`,
      'pass a benchmark, a run folder or a folder of outputs',
    )
  }
  return { configuration, run: folder, delivery: { response: record?.final_response ?? said ?? '', outputs } }
}

function findCaseMetadata(folder: string) {
  for (const up of ['.', '..', '../../..']) {
    const found = tryReadArtefact(evalMetadata, path.join(folder, up, 'eval_metadata.json'))
    if (found !== null) return found
  }
  return null
}

/** The table of reports: how the result of a verifier is read, by the name in a check's `result`. */
import type { ResultFormat } from '../../../../../schemas/checks/verifier.ts'
import { readCtrf } from './ctrf.ts'
import { readJsonReport } from './json.ts'
import { readJunit } from './junit.ts'
import { readReward } from './reward.ts'
import { readScoreLine } from './score_line.ts'
import type { ReadResult } from './verifier_result.ts'

/** `file`: the default of `result_file`; null: the output is read. */
export const resultReaders = {
  exit_code: null,
  score_line: { file: null, read: readScoreLine },
  json: { file: 'result.json', read: readJsonReport },
  junit: { file: 'junit.xml', read: readJunit },
  ctrf: { file: 'ctrf.json', read: readCtrf },
  reward: { file: 'reward.txt', read: readReward },
} satisfies Record<ResultFormat, { file: string | null; read: ReadResult } | null>

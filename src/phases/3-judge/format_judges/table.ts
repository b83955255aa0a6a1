/** Selects the judge of formats that have their own. */
import type { SuiteCase } from '../../../../schemas/suite.ts'
import type { JudgeRequest, JudgeResult } from '../judge_request.ts'
import { judgeByVerdict } from './eval_md.ts'
import { judgeGolden } from './golden.ts'

type OwnJudging = NonNullable<SuiteCase['judging']>

/** Rejects only when aborted. */
export async function judgeOwnWay(request: JudgeRequest, judging: OwnJudging): Promise<JudgeResult> {
  switch (judging.kind) {
    case 'verdict':
      return await judgeByVerdict(request)
    case 'golden':
      return await judgeGolden(request, judging.golden)
  }
}

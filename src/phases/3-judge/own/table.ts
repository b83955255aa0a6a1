/** The judges that formats have of their own. */
import type { SuiteCase } from '../../../../schemas/suite.ts'
import type { Judged, JudgeRequest } from '../judge.ts'
import { judgeGolden } from './golden.ts'
import { judgeByVerdict } from './verdict.ts'

type OwnJudging = NonNullable<SuiteCase['judging']>

/** Rejects only when aborted. */
export async function judgeOwnWay(request: JudgeRequest, judging: OwnJudging): Promise<Judged> {
  switch (judging.kind) {
    case 'verdict':
      return await judgeByVerdict(request)
    case 'golden':
      return await judgeGolden(request, judging.golden)
  }
}

/** Asks a judge to decide the expectations of one run in one question, and verifies its evidence. */
import path from 'node:path'
import type { Claim } from '../../../../schemas/grading.ts'
import { readEvents } from '../checks/inputs/events.ts'
import { createClaimDetector } from '../evidence/agent_claims.ts'
import { evidenceFiles } from '../evidence/evidence_files.ts'
import { judgeOwnWay } from '../format_judges/table.ts'
import { findInjectionAttempts as findAttempts } from '../injections/find_injections.ts'
import { searchRun } from '../injections/search_run.ts'
import type { JudgeRequest, JudgeResult } from '../judge_request.ts'
import { boundedList, boundedText } from './answer_bounds.ts'
import { openJudgeTempDir } from './judge_folder.ts'
import { type JudgeImages, readJudgeImages } from './judge_images.ts'
import { buildJudgeRunView } from './run_excerpt.ts'
import { takeVote } from './second_question.ts'
import { lookUpClaim } from './verify_answer.ts'
import { countVotes } from './votes.ts'

/** Rejects only when aborted, or if the temp directory cannot be created (disk full). */
export async function judgeRun(request: JudgeRequest): Promise<JudgeResult> {
  const { case: one, runFolder, documents, signal } = request
  if (one.judging !== undefined) {
    const judged = await judgeOwnWay(request, one.judging)
    const found = await searchRun({ runFolder, prompt: one.prompt, documents, signal })
    return { ...judged, ...(found.length > 0 && { injectionAttempts: found }) }
  }
  const { prompt, files: inputs } = one
  const verbatim = request.fenceOf !== undefined
  const { record } = request
  await using room = await openJudgeTempDir({ runFolder, inputs, record, prompt, verbatim, documents, signal })
  const { outputs, texts } = room
  const files = evidenceFiles({ runFolder, prompt, outputs, inputs: room.inputs, texts })
  const events = await readEvents(path.join(runFolder, 'transcript.jsonl')).catch(() => [])
  const claims = createClaimDetector(events)
  const images = await readJudgeImages(outputs, request.judge.engine.seesImages)
  const { fenceOf } = request
  const buildView = (shown: JudgeImages, shorter: number) =>
    buildJudgeRunView({ room, files, images: shown, shorter, fenceOf })
  const session = { request, room, files, claims, images, buildView }
  const first = await takeVote({ ...session, sample: 1 })
  const more: JudgeResult[] = []
  // in sequence, because the provider then caches the shared prompt of the first
  for (let sample = 2; sample <= (request.samples ?? 1); sample += 1) {
    more.push(await takeVote({ ...session, sample }))
  }
  const injectionAttempts = findAttempts({ files, names: room.names, prompt })
  const judged = countVotes([first, ...more])
  const said = (record.conversation?.turns ?? []).map((turn) => turn.prompt)
  const sources = { files, claims, given: [prompt, ...said, one.expected_output ?? ''] }
  const made = judged.answer && boundedList(judged.answer.claims, (claim) => lookUpClaim(boundedClaim(claim), sources))
  return { ...judged, ...(made && { claims: made }), ...(injectionAttempts.length > 0 && { injectionAttempts }) }
}

function boundedClaim(claim: Claim): Claim {
  return { ...claim, claim: boundedText(claim.claim), evidence: boundedText(claim.evidence) }
}

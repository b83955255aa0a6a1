/** `whetstone github` refuses to work where it can't know the job, or the name of its comment. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'

test('outside a job of GitHub Actions', async () => {
  const end = await runMain(['github', 'bench'])
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('not in a job of GitHub Actions') })
  expect(end.stderr).toContain('hint: use whetstone bench')
})

test('a name of a comment that could end its first line early', async () => {
  const event = path.join(fresh(), 'event.json')
  writeFileSync(event, '{}')
  const env = { GITHUB_EVENT_PATH: event, GITHUB_REPOSITORY: 'ada/skills', INPUT_COMMENT_ID: 'a --> <b>' }
  const end = await runMain(['github', 'comment'], { env })
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('comment-id: "a --> <b>"') })
})

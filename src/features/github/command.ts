/** `whetstone github`: the steps of the GitHub Action. */
import type { Argv } from 'yargs'
import { UserError } from '../../base/errors/error.ts'
import type { SetExitCode } from '../../cli/commands/options/run_flow.ts'

export function addGithub(args: Argv, done: SetExitCode): Argv {
  return args.command(
    'github <step>',
    'advanced: the steps of the GitHub Action',
    (one) =>
      one
        .positional('step', {
          choices: ['bench', 'comment'] as const,
          demandOption: true,
          describe: 'bench what the pull request changed, or comment the result on it',
        })
        .usage(
          '$0 github <step>\n\nRun a step of the GitHub Action (action.yml) inside a job of a workflow.\n\nReads the inputs from INPUT_* and the job from GITHUB_* variables: docs/how-to/github-action.md',
        )
        .example('$0 github bench', 'what the action runs, in a step of a workflow'),
    async ({ step }) => {
      if (!process.env.GITHUB_EVENT_PATH || !process.env.GITHUB_REPOSITORY)
        throw new UserError('github: not in a job of GitHub Actions: GITHUB_EVENT_PATH is unset', 'use whetstone bench')
      const { benchForPullRequest } = await import('./bench_action.ts')
      const { commentOnPullRequest } = await import('./comment.ts')
      done(await (step === 'bench' ? benchForPullRequest() : commentOnPullRequest()))
    },
  )
}

/** `whetstone demo`: runs a full benchmark on the embedded practice model, without a key. */
import type { Argv } from 'yargs'
import { showResult } from '../bench/print.ts'
import { type SetExitCode, wholeNumber, withFlow, withJson } from '../options/run_flow.ts'
import { sandboxFlags, sandboxWish } from '../options/sandbox_flags.ts'

/** Each demo starts a new benchmark. */
const noResumeWay = null

function demoOptions(args: Argv) {
  return withJson(args)
    .option('runs', {
      type: 'number',
      requiresArg: true,
      default: 3,
      coerce: wholeNumber('runs', 1, 1000),
      describe: 'runs per case and configuration',
    })
    .option('concurrency', {
      type: 'number',
      requiresArg: true,
      default: 4,
      coerce: wholeNumber('concurrency', 1, 256),
      describe: 'runs at once',
    })
    .option('skill', {
      type: 'string',
      requiresArg: true,
      defaultDescription: 'the shipped example',
      describe: 'copy of the example skill to try edits on',
    })
    .option('workspace', {
      type: 'string',
      requiresArg: true,
      describe: 'folder for results',
    })
    .options(sandboxFlags)
    .usage(
      '$0 demo [options]\n\nRun a whole benchmark on the embedded practice model: no key, no cost.\n\nA real agent loop reads a real skill and runs its script; only the model answers from a scenario file. Edit a copy of the skill and see the difference change.',
    )
    .example('$0 demo', 'the shipped example')
    .example('$0 demo --skill my-copy --workspace /tmp/try', 'your edited copy of the example skill')
}

export function addDemo(args: Argv, done: SetExitCode): Argv {
  return args.command(
    'demo',
    'a whole benchmark on the embedded practice model, no key needed',
    demoOptions,
    async (parsed) => {
      const { demo } = await import('../../../flows/demo/demo.ts')
      const { runs, concurrency, json, skill = null, workspace = null } = parsed
      const request = { runs, concurrency, skill, workspace, sandbox: sandboxWish(parsed) }
      const { result, interrupted } = await withFlow({ json, concurrency, goesOn: noResumeWay }, (context) =>
        demo(request, context),
      )
      done(await showResult(result, { json, interrupted, goesOn: noResumeWay }))
    },
  )
}

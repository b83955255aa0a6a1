/** `whetstone test`: the deterministic tests of a package, without a model. */
import type { Argv } from 'yargs'
import { type Done, withFlow, withJson } from './shared.ts'
import { testFlags } from './test_flags.ts'

function testOptions(args: Argv) {
  return withJson(args)
    .option('json', { type: 'boolean', default: false, describe: 'the whole result as one JSON document on stdout' })
    .positional('package', {
      type: 'string',
      demandOption: true,
      describe: 'the folder of an AAM package, or of a skill with tests',
    })
    .options(testFlags)
    .usage(
      '$0 test <package> [options]\n\nthe deterministic tests of a package, without a model\n\nRuns skills/*/tests and hooks/tests: a process each, and checks of what it says. Hooks are told in the\npackage’s words and in Claude Code’s. Exit 1 when a test fails, 3 when one could not be run.',
    )
    .example('$0 test packages/pdf', 'all of them')
    .example('$0 test packages/pdf --hooks --event pre-tool-use', 'those of one event')
    .example('$0 test packages/pdf --skill pdf-tools --case 01-basic', 'one file')
}

export function addTest(args: Argv, done: Done): Argv {
  const describe = 'the deterministic tests of a package, without a model'
  return args.command('test <package>', describe, testOptions, async (parsed) => {
    const { testPackage } = await import('../../flows/test_package.ts')
    const { showTests } = await import('../show_test.ts')
    const { json, hooks } = parsed
    const request = {
      package: parsed.package,
      skill: parsed.skill ?? null,
      hooks,
      event: parsed.event ?? null,
      case: parsed.case ?? null,
    }
    const { result, interrupted } = await withFlow({ json, concurrency: 1 }, (context) => testPackage(request, context))
    done(showTests(result, { json, interrupted }))
  })
}

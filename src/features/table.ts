/** The one list of features: what few users meet, beside the core. To remove one, delete its folder, its tests and its rows here. */
import { addSeveralBenches } from '../cli/commands/bench/several.ts'
import { addKeyNames } from '../cli/commands/eval/options.ts'
import type { Flags } from '../cli/commands/options/flag.ts'
import { addModes } from '../cli/commands/options/modes.ts'
import { addRemoteMachines } from '../cli/commands/options/remote_flags.ts'
import type { AddCommand } from '../cli/commands/options/run_flow.ts'
import { addClouds } from '../engines/clouds/table.ts'
import { addEngines } from '../engines/table.ts'
import { addResultFormats } from '../flows/aggregate/import_results.ts'
import { addFormatSteps } from '../flows/format_steps.ts'
import { addCollectionPages, addIndexSteps } from '../flows/index_steps.ts'
import { addJudgeBatches } from '../flows/judge_batch.ts'
import { addJudgeReliability } from '../flows/judge_reliability.ts'
import { addMcpTools, mcpWork } from '../flows/mcp_tools.ts'
import { addOtherSkills } from '../flows/other_skills.ts'
import { addFolderReaders } from '../flows/report/folder_reader.ts'
import { addTaskSteps } from '../flows/sandbox/task_steps.ts'
import { addOtherAssertions } from '../phases/1-plan/formats/evals_json/other_assertions.ts'
import { addSuiteFormats } from '../phases/1-plan/formats/table.ts'
import { addSimulatedUsers } from '../phases/2-run/conversation/partner.ts'
import { addTaskWorlds } from '../phases/2-run/task_world.ts'
import { addDocumentReaders } from '../phases/3-judge/documents/document_formats.ts'
import { addOwnJudges } from '../phases/3-judge/judge_request.ts'
import type { GateSubject } from '../phases/4-report/gate/parse_gate.ts'
import { aamFormat } from './aam/format.ts'
import { testFlags } from './aam/options.ts'
import { acp } from './acp/acp.ts'
import { auditFlags } from './audit/options.ts'
import { bedrock } from './clouds/bedrock.ts'
import { foundry } from './clouds/foundry.ts'
import { azure, openrouter } from './clouds/openai_clouds.ts'
import { vertex } from './clouds/vertex.ts'
import { commandEngine } from './command/any_program.ts'
import { compareFlags } from './compare/options.ts'
import { copilot } from './copilot/copilot.ts'
import { viewTrendMode, viewTwoMode } from './diff/view_modes.ts'
import { documentReader } from './documents/documents.ts'
import { evalCommentFormat } from './eval_md/eval_comment.ts'
import { evalMdFormat, verdictJudge } from './eval_md/format.ts'
import { gemini } from './gemini/gemini.ts'
import { atomicAgentsKeys, goldenFormat, ownGoldenJudge } from './golden/format.ts'
import { harborFormat } from './harbor/format.ts'
import { local } from './local/local.ts'
import { opencode } from './opencode/opencode.ts'
import { otherAssertions } from './other_assertions/foreign_checks.ts'
import { othersFormat } from './other_suites/other_suites.ts'
import { pi } from './pi/pi.ts'
import { pluginEvalFormat } from './plugin_eval/plugin_eval.ts'
import { pruneFlags } from './prune/options.ts'
import { queueMachines } from './queue/flags.ts'
import { qwen } from './qwen/qwen.ts'
import { servePageMode } from './serve_page/mode.ts'
import { draftSessionsMode, gradeSessionMode } from './sessions/modes.ts'
import { descriptionMode, triggersCommand } from './triggers/options.ts'
import { watchFlags } from './watch/options.ts'

interface FeatureCommand {
  load: () => Promise<AddCommand>
  /** Those that whetstone.config.yaml can set; absent: it does not read the file. */
  flags?: Flags
  /** Whether other machines may execute its runs. */
  canBeRemote?: true
  /** What its gates check; absent: benchmarks. */
  gates?: () => Promise<GateSubject>
  /** Settings of the file that do not apply when a flag is used. */
  moot?: readonly { flag: string; keys: readonly string[] }[]
}

/** By name, in the order of the help. */
export const featureCommands: Readonly<Record<string, FeatureCommand>> = {
  triggers: triggersCommand,
  demo: { load: async () => (await import('./practice/demo/command.ts')).addDemo },
  doctor: { load: async () => (await import('./doctor/command.ts')).addDoctor },
  practice: { load: async () => (await import('./practice/command.ts')).addPractice },
  check: { load: async () => (await import('./check/command.ts')).addCheck },
  compare: { load: async () => (await import('./compare/command.ts')).addCompare, flags: compareFlags },
  explain: { load: async () => (await import('./explain/command.ts')).addExplain },
  diff: { load: async () => (await import('./diff/command.ts')).addDiff },
  audit: { load: async () => (await import('./audit/command.ts')).addAudit, flags: auditFlags },
  clean: { load: async () => (await import('./clean/command.ts')).addClean },
  test: { load: async () => (await import('./aam/command.ts')).addTest, flags: testFlags },
  rank: { load: async () => (await import('./rank/command.ts')).addRank },
  watch: { load: async () => (await import('./watch/command.ts')).addWatch, flags: watchFlags },
  prune: { load: async () => (await import('./prune/command.ts')).addPrune, flags: pruneFlags, canBeRemote: true },
  convert: { load: async () => (await import('./convert/command.ts')).addConvert },
  costs: { load: async () => (await import('./golden/command.ts')).addCosts },
  github: { load: async () => (await import('./github/command.ts')).addGithub },
  queue: { load: async () => (await import('./queue/command.ts')).addQueue },
  mcp: { load: async () => (await import('./mcp/command.ts')).addMcp },
  'record-mcp': { load: async () => (await import('./record_mcp/command.ts')).addRecordMcp },
}

/** Adds the rows of features to the tables of the core; the command line, the library and the tests call it first. */
export function addFeatures(): void {
  addModes({ view: viewTwoMode })
  addModes({ view: viewTrendMode })
  addModes({
    grade: gradeSessionMode,
    init: draftSessionsMode,
    improve: descriptionMode,
    view: servePageMode,
  })
  addCollectionPages({ diff: async () => (await import('./diff/view_pages.ts')).writeTrend })
  addRemoteMachines({
    queue: queueMachines,
  })
  addSeveralBenches({
    many_skills: async () => (await import('./many_skills/several_benches.ts')).severalBenches,
  })
  addOtherSkills({ other_skills: async () => (await import('./other_skills/other_skills.ts')).otherSkills })
  addIndexSteps({ many_skills: async () => (await import('./many_skills/update_index.ts')).indexSteps })
  addSuiteFormats({ 'plugin-eval': pluginEvalFormat })
  addSuiteFormats({ 'eval.md': evalMdFormat })
  addSuiteFormats({ 'eval-comment': evalCommentFormat })
  addSuiteFormats({ golden: goldenFormat })
  addSuiteFormats({ aam: aamFormat })
  addSuiteFormats({ harbor: harborFormat })
  addResultFormats({
    csv: async () => (await import('./other_results/csv.ts')).readCsvResults,
    harbor: async () => (await import('./other_results/trials.ts')).readHarborResults,
    inspect: async () => (await import('./other_results/inspect.ts')).readInspectResults,
    'terminal-bench': async () => (await import('./other_results/trials.ts')).readTerminalBenchResults,
  })
  addFolderReaders({ other_folders: async () => (await import('./other_folders/aggregate_folder.ts')).folderReader })
  addSimulatedUsers({ model: async () => (await import('./simulated_user/simulated_user.ts')).playUser })
  addTaskWorlds({ harbor: async (request) => (await import('./harbor/verify.ts')).openTaskWorld(request) })
  addTaskSteps({ harbor: async () => (await import('./harbor/steps.ts')).harborSteps })
  addSuiteFormats({ others: othersFormat })
  addOtherAssertions({ other_assertions: otherAssertions })
  addFormatSteps({ 'eval.md': async () => (await import('./eval_md/steps.ts')).evalMdSteps })
  addFormatSteps({ 'eval-comment': async () => (await import('./eval_md/steps.ts')).evalMdSteps })
  addFormatSteps({ golden: async () => (await import('./golden/steps.ts')).goldenSteps })
  addJudgeReliability({
    compare: async () => (await import('./compare/summarize.ts')).assessByComparisons,
    audit: async () => (await import('./audit/reliability.ts')).assessByLabels,
  })
  addMcpTools({ explain: async () => (await import('./explain/mcp_tool.ts')).explainTool })
  addMcpTools({ check: async () => (await import('./check/mcp_tool.ts')).checkTool })
  addMcpTools({ diff: async () => (await import('./diff/diff.ts')).diffTool })
  mcpWork.compare = async () => (await import('./compare/command.ts')).openMcpComparison
  addKeyNames(atomicAgentsKeys)
  addDocumentReaders({ documents: documentReader })
  addOwnJudges({
    verdict: verdictJudge,
    golden: ownGoldenJudge,
  })
  addJudgeBatches({
    anthropic: async () => (await import('./judge_batch/anthropic.ts')).openAnthropicBatches,
    openai: async () => (await import('./judge_batch/openai.ts')).openOpenaiBatches,
  })
  addEngines({
    opencode,
    pi,
    copilot,
    gemini,
    qwen,
    acp,
    local,
  })
  addEngines({ command: commandEngine })
  addClouds({
    bedrock,
    vertex,
    foundry,
    openrouter,
    azure,
  })
}

/** Which variables a suite may set: none that leads a run out of its sandbox, or its keys to someone else. */
import { expect, test } from 'vitest'
import { suiteVariables } from '../../../src/base/secrets/suite_variables.ts'

const names = (text: string) => text.trim().split(/\s+/)

test.each(
  names(`
  HTTPS_PROXY https_proxy Http_Proxy ALL_PROXY NO_PROXY no_proxy npm_config_https_proxy
  CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS GIT_SSL_CAINFO CARGO_HTTP_CAINFO npm_config_cafile SSL_CERT_FILE SSL_CERT_DIR
  NODE_TLS_REJECT_UNAUTHORIZED NODE_OPTIONS NODE_PATH NODE_USE_ENV_PROXY
  LD_PRELOAD ld_preload LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH GLIBC_TUNABLES BASH_ENV ENV
  PYTHONSTARTUP PYTHONPATH PYTHONHOME PERL5LIB PERL5OPT RUBYLIB RUBYOPT JAVA_TOOL_OPTIONS
  GIT_CONFIG_COUNT GIT_SSH_COMMAND GIT_DIR GIT_EXEC_PATH
  ANTHROPIC_BASE_URL ANTHROPIC_API_KEY OPENAI_BASE_URL CODEX_HOME CLAUDE_CONFIG_DIR CLAUDE_CODE_USE_BEDROCK GEMINI_API_KEY
  AWS_ENDPOINT_URL GOOGLE_APPLICATION_CREDENTIALS AZURE_OPENAI_ENDPOINT OPENCODE_CONFIG COPILOT_ALLOW_ALL
  HOME Home PATH TMPDIR SHELL USERPROFILE XDG_CONFIG_HOME WHETSTONE_RUN WHETSTONE_QUEUE IS_SANDBOX
  `),
)('%s is not set', (name) => {
  expect(suiteVariables({ [name]: '/x', MODE: 'x' })).toEqual({ set: { MODE: 'x' }, refused: [name] })
})

test.each(['A=B', '1A', '', 'BASH_FUNC_x%%', 'A B', 'A\n'])('%j is no name', (name) => {
  expect(suiteVariables({ [name]: 'x' })).toEqual({ set: {}, refused: [name] })
})

test.each(
  names(`
  EVAL_MODE SKILL_TEST HOOK_TEST PACKAGE_ROOT LC_ALL LANG TZ NODE_ENV CI DEBUG DATABASE_URL DATA_PATH PROXY API_KEY MY_HOME PYTHONUNBUFFERED
  PYTHONDONTWRITEBYTECODE GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL FORCE_COLOR ENVIRONMENT GITHUB_REPOSITORY
  `),
)('%s is', (name) => expect(suiteVariables({ [name]: 'x' })).toEqual({ set: { [name]: 'x' }, refused: [] }))

test('nothing gives nothing', () => expect(suiteVariables(undefined)).toEqual({ set: {}, refused: [] }))

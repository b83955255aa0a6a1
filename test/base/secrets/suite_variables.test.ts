/** Which variables a suite may set: its own and plain data, never what a program takes as code, path, address or options. */
import { describe, expect, test } from 'vitest'
import { suiteVariables } from '../../../src/base/secrets/suite_variables.ts'

const names = (text: string) => text.trim().split(/\s+/)

/** Also with --trust-suite: a run's isolation needs them. */
const runOwn = names(`
  HTTPS_PROXY https_proxy Http_Proxy ALL_PROXY NO_PROXY no_proxy npm_config_https_proxy
  CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS GIT_SSL_CAINFO CARGO_HTTP_CAINFO npm_config_cafile SSL_CERT_FILE SSL_CERT_DIR
  NODE_TLS_REJECT_UNAUTHORIZED NODE_USE_ENV_PROXY LD_PRELOAD ld_preload LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH GLIBC_TUNABLES GIT_DIR
  ANTHROPIC_BASE_URL ANTHROPIC_API_KEY OPENAI_BASE_URL CODEX_HOME CLAUDE_CONFIG_DIR CLAUDE_CODE_USE_BEDROCK GEMINI_API_KEY
  AWS_ENDPOINT_URL GOOGLE_APPLICATION_CREDENTIALS AZURE_OPENAI_ENDPOINT OPENCODE_CONFIG COPILOT_ALLOW_ALL
  HOME Home PATH TMPDIR SHELL USERPROFILE XDG_CONFIG_HOME PROCESS_GROUP_MARK WHETSTONE_QUEUE IS_SANDBOX
`)

/** What programs take as code, path, address or options. */
const ofPrograms = names(`
  PYTHONWARNINGS BROWSER PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONINSPECT PYTHONBREAKPOINT PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX
  NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE BUN_OPTIONS DENO_DIR PERL5LIB PERL5OPT PERL5DB PERLLIB RUBYLIB RUBYOPT BUNDLE_GEMFILE
  JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_HOME MAVEN_OPTS GRADLE_OPTS CLASSPATH DOTNET_STARTUP_HOOKS LUA_INIT LUA_PATH
  PHPRC PHP_INI_SCAN_DIR R_PROFILE_USER JULIA_LOAD_PATH TCLLIBPATH ERL_FLAGS GOFLAGS GOPROXY GOTOOLCHAIN CARGO_HOME RUSTC_WRAPPER RUSTFLAGS
  CC CXX CFLAGS LDFLAGS MAKEFLAGS GNUMAKEFLAGS CMAKE_PREFIX_PATH PKG_CONFIG_PATH AWKPATH AWKLIBPATH M4PATH
  BASH_ENV ENV PROMPT_COMMAND PS1 PS4 IFS BASHOPTS SHELLOPTS GLOBIGNORE CDPATH ZDOTDIR INPUTRC FPATH HISTFILE EXINIT VIMINIT
  LESSOPEN LESSCLOSE LESS LESSEDIT PAGER MANPAGER GIT_PAGER EDITOR VISUAL FCEDIT SUDO_EDITOR SUDO_ASKPASS
  GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_EXEC_PATH GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_GLOBAL GIT_TEMPLATE_DIR GIT_ASKPASS GIT_PROXY_COMMAND
  SSH_ASKPASS SSH_AUTH_SOCK RSYNC_RSH CVS_RSH TAR_OPTIONS GREP_OPTIONS GZIP XZ_OPT ZIPOPT UNZIP WGETRC CURL_HOME
  PIP_INDEX_URL PIP_CONFIG_FILE PIP_EXTRA_INDEX_URL UV_INDEX_URL UV_PYTHON UV_CONFIG_FILE NPM_CONFIG_REGISTRY npm_config_script_shell npm_config_node_options YARN_RC_FILENAME
  DOCKER_HOST DOCKER_CONFIG KUBECONFIG ANSIBLE_CONFIG TF_CLI_ARGS VIRTUAL_ENV CONDA_PREFIX PYENV_VERSION RBENV_VERSION DATABASE_URL REDIS_URL PGSERVICEFILE PGHOST
  DISPLAY TERMINFO TERMCAP MAIL XAUTHORITY GTK_MODULES QT_PLUGIN_PATH DBUS_SESSION_BUS_ADDRESS
  FILE_NAME SCRIPT_NAME SERVER_NAME MODULE_NAME GITHUB_REPOSITORY DATA_PATH PROXY RAILS_MODE mode my_mode
`)

describe('only for a suite that the user trusts', () => {
  test.each(ofPrograms)('%s', (name) => {
    expect(suiteVariables({ [name]: 'x', MODE: 'x' })).toEqual({ set: { MODE: 'x' }, refused: [name] })
    expect(suiteVariables({ [name]: 'x' }, 'any')).toEqual({ set: { [name]: 'x' }, refused: [] })
  })
})

test.each(runOwn)('%s is never set', (name) => {
  for (const rule of ['own', 'world', 'any'] as const) {
    expect(suiteVariables({ [name]: '/x', MODE: 'x' }, rule)).toEqual({ set: { MODE: 'x' }, refused: [name] })
  }
})

test.each(['A=B', '1A', '', 'BASH_FUNC_x%%', 'A B', 'A\n'])('%j is no name', (name) => {
  expect(suiteVariables({ [name]: 'x' }, 'any')).toEqual({ set: {}, refused: [name] })
})

test.each(
  names(`
  EVAL_MODE EVAL_PATH SKILL_TEST HOOK_TEST PACKAGE_ROOT CASE_DIR FIXTURE_URL MY_HOME DEMO_HOST MODE PORT DRY DRY_RUN CI DEBUG API_KEY
  LC_ALL LANG TZ NODE_ENV APP_ENV ENVIRONMENT PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL FORCE_COLOR NO_COLOR
  LOG_LEVEL TAX_YEAR REPORT_CURRENCY CUSTOMER_NAME ORDER_ID FEATURE_FLAG RANDOM_SEED REQUEST_TIMEOUT GREETING
  `),
)('%s is set', (name) => expect(suiteVariables({ [name]: 'x' })).toEqual({ set: { [name]: 'x' }, refused: [] }))

test.each([
  ['TZ', 'Europe/Berlin', ':/etc/passwd'],
  ['NODE_ENV', 'test', '../../evals/x'],
  ['LANGUAGE', 'de:en', '/tmp/x'],
  ['LC_MESSAGES', 'de_DE.UTF-8', 'x/../../y'],
  // programs that take such a name as the place of code
  ['PIPENV_CUSTOM_VENV_NAME', 'own', '/work/evals/own'],
  ['LIBVA_DRIVER_NAME', 'own', '../../work/own'],
  ['APP_NAME', 'own', '~/own'],
  ['COLUMNS', '80', 'a[$(id)]'], // bash runs it in $((COLUMNS / 2))
  ['MAX_COUNT', '3', 'a[`id`]'],
  ['START_DATE', '01/02/2026', 'C:\\own'],
  ['GREETING', 'Hello, and/or welcome... It costs $5 (see https://a.example)', '..'],
])('%s is set to %s, not to %s', (name, good, bad) => {
  expect(suiteVariables({ [name]: good }).refused).toEqual([])
  expect(suiteVariables({ [name]: bad }).refused).toEqual([name])
})

test('the image of a Harbor task sets variables of its own programs, and none that loads code into the agent', () => {
  const env = {
    JAVA_HOME: '/opt/java',
    DATA_DIR: '/data',
    NODE_OPTIONS: '--import /x',
    BASH_ENV: '/x',
    GIT_SSH_COMMAND: 'x',
  }
  expect(suiteVariables(env, 'world').set).toEqual({ JAVA_HOME: '/opt/java', DATA_DIR: '/data' })
})

test('nothing gives nothing', () => expect(suiteVariables(undefined)).toEqual({ set: {}, refused: [] }))

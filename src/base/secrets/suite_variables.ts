/** Decides which environment variables a suite may set for its runs: those that no known program takes as code, path, address or options. */

/** Names of a suite's own: no known program reads variables that begin so. */
const ownName = /^(?:EVALS?|CASE|SUITE|SKILL|HOOK|PACKAGE|FIXTURE|EXAMPLE|SAMPLE|DEMO|MY)_[A-Z0-9_]+$/

/** Names that many suites set and that programs take as plain data. */
const dataName =
  /^(?:CI|DEBUG|VERBOSE|QUIET|DRY|DRY_RUN|(?:NO|FORCE)_COLOR|COLUMNS|LINES|PORT|API_KEY|SOURCE_DATE_EPOCH|PYTHON(?:UNBUFFERED|HASHSEED|DONTWRITEBYTECODE|UTF8)|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE))$/

/** Parts of a file's name for some programs, so their values may not lead to another folder. */
const choiceName = /^(?:TZ|LANG|LANGUAGE|LC_[A-Z]+|(?:NODE|APP|RAILS|RACK|FLASK)_ENV|ENVIRONMENT|PYTHONIOENCODING)$/
const choiceValue = /^\w[\w+@:.-]*(?:\/\w[\w+-]*)*$/

/** Upper-case words, the last of which says that the value is a number, a date or a word. */
const valueName = new RegExp(
  `^(?:[A-Z][A-Z0-9]*_)*(?:${[
    'MODE|KIND|NAME|TITLE|LABEL|ID|NUMBER|TEXT|WORD|GREETING|MESSAGE|TOPIC|ANSWER|VALUE|VAR|SETTING|FEATURE|FLAG|VARIANT|SCENARIO',
    'ENABLED|DISABLED|LEVEL|STATUS|STATE|STAGE|PHASE|ROLE|TEAM|COUNT|LIMIT|MIN|MAX|SIZE|AMOUNT|TOTAL|PRICE|RATE|PERCENT|SCORE|THRESHOLD',
    'SEED|TIMEOUT|RETRIES|SECONDS|MINUTES|HOURS|DAYS|YEAR|QUARTER|MONTH|WEEK|DAY|DATE|TIMEZONE|CURRENCY|COUNTRY|LOCALE|UNIT|COLOR|COLOUR',
  ].join('|')})$`,
)

/** Not among them: names with the word of a program, or of a place where code, files or servers are. */
const programWord = new RegExp(
  `(?:^|_)(?:${[
    'PYTHON\\d*|PY|PYENV|PIP|PIPX|UV|CONDA|VIRTUAL|NODE|NPM|PNPM|YARN|BUN|DENO|NVM|RUBY|GEM|BUNDLER?|RAILS|RACK|PERL\\d*|PHP|COMPOSER|LUA|R|JULIA',
    'JAVA|JDK|JVM|MAVEN|MVN|GRADLE|ANT|DOTNET|GO|CARGO|RUST|RUSTC|RUSTUP|GCC|CC|CXX|CMAKE|MAKE|LLVM|CLANG|LD|DYLD|GLIBC|MALLOC',
    'BASH|ZSH|SH|FISH|SHELL|PROMPT|TERM|LESS|PAGER|EDITOR|VIM|EMACS|BROWSER|GIT|GH|GITHUB|GITLAB|HG|SVN|SSH|SSL|TLS|GPG|SUDO|CURL|WGET|HTTP|HTTPS',
    'DOCKER|COMPOSE|PODMAN|CONTAINER|KUBE|HELM|TF|TERRAFORM|ANSIBLE|VAULT|AWS|AZURE|GOOGLE|GCP|CLOUD\\w*|PG|MYSQL|REDIS|MONGO|SQLITE|OTEL|SPARK|HADOOP',
    'DISPLAY|WAYLAND|X11|GTK|QT|DBUS|SYSTEMD|NIX|MODULE|CLASS|PLUGIN|SCRIPT|PROGRAM|COMMAND|CMD|EXEC|RUN|LIBRARY|LIB|INCLUDE|LOADER|CONFIG|PROFILE|RC',
    'PATH|DIR|FOLDER|FILE|ROOT|HOME|HOST|SERVER|SERVICE|DOMAIN|URL|URI|ENDPOINT|ADDRESS|PROXY|SOCKET|OPTIONS?|OPTS?|FLAGS|ARGS',
    'ANTHROPIC|OPENAI|CODEX|CLAUDE\\w*|GEMINI|OPENCODE|COPILOT|QWEN|PI|OPENROUTER|BEDROCK|VERTEX|MODEL|WHETSTONE|XDG',
  ].join('|')})(?:_|$)`,
)

/** A value that is no plain data: a path that starts at a root or leads upwards, or a command, which a shell runs even as part of a number. */
const otherThanData = /^(?:[~/\\]|[A-Za-z]:\\)|(?:^|[/\\])\.\.(?:[/\\]|$)|\$\(|`/

/**
 * Never a suite's, in upper or lower case: the home, programs and folders of a run; its proxies and trusted certificates; what a
 * program outside of the sandbox would load; settings of engines and of providers' clients.
 */
const runOwnName = new RegExp(
  `^(?:${[
    'HOME|PATH|USERPROFILE|TMPDIR|TMP|TEMP|SHELL|SYSTEMROOT|IS_SANDBOX|CLAUDECODE|XDG_\\w+|WHETSTONE_\\w+|PROCESS_GROUP_MARK|GIT_(?:DIR|WORK_TREE|INDEX_FILE)',
    '\\w*_PROXY|SSL_CERT_\\w+|SSLKEYLOGFILE|OPENSSL_\\w+|\\w*CA_?(?:BUNDLE|CERTS?|INFO|FILE|PATH)\\w*|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS',
    'LD_\\w+|DYLD_\\w+|GLIBC_\\w+|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_\\w+|NODE_TLS_\\w+',
    '(?:ANTHROPIC|OPENAI|CODEX|CLAUDE|GEMINI|AWS|GOOGLE|AZURE|OPENROUTER|CLOUD_ML|OPENCODE|COPILOT|QWEN|PI)_\\w+',
  ].join('|')})$`,
  'i',
)

/** What loads code into a program before it starts, also into the agent's. */
const loadingName =
  /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|ZDOTDIR|IFS|PS4|(?!NODE_ENV$)(?:NODE|BUN|DENO)_\w+|PYTHON(?:STARTUP|PATH|HOME|USERBASE)|PERL5?(?:LIB|OPT|DB)|RUBY(?:LIB|OPT)|_?JAVA_(?:TOOL_)?OPTIONS|JDK_JAVA_OPTIONS|SSH_\w+|(?!GIT_(?:AUTHOR|COMMITTER)_)GIT_\w+)$/i

/**
 * `own`: a suite's own names and plain data. `world`: of a Harbor task, whose image has its own programs and always runs in a
 * sandbox or a container: all but what a run has itself and what loads code. `any`: the user trusts the suite.
 */
export type VariableRule = 'own' | 'world' | 'any'

export interface VariableTrust {
  /** Whether a suite may set variables that programs read: only --trust-suite says so. Absent: false. */
  anyVariable?: boolean
}

export function variableRule(trust: VariableTrust | null | undefined): VariableRule {
  return trust?.anyVariable === true ? 'any' : 'own'
}

/** The variables of a suite that a run gets, and the names of refused ones. */
export function suiteVariables(
  env: Readonly<Record<string, string>> = {},
  rule: VariableRule = 'own',
): { set: Record<string, string>; refused: string[] } {
  const entries = Object.entries(env)
  const isRefused = ([name, value]: [string, string]) =>
    !/^[A-Za-z_]\w*$/.test(name) || runOwnName.test(name) || !isAllowed(name, value, rule)
  return {
    set: Object.fromEntries(entries.filter((one) => !isRefused(one))),
    refused: entries.filter(isRefused).map(([name]) => name),
  }
}

/** Why a run does not get it; `fix`: how it could, null: not at all. */
export function explainRefusal(name: string): { reason: string; fix: string | null } {
  if (runOwnName.test(name) || !/^\w+$/.test(name)) return { reason: 'each run has its own value', fix: null }
  return {
    reason: 'a program could take it as code, a path, an address or options',
    fix: `rename it to EVAL_${name.toUpperCase()} if only the suite's own files read it, or add --trust-suite`,
  }
}

function isAllowed(name: string, value: string, rule: VariableRule): boolean {
  switch (rule) {
    case 'any':
      return true
    case 'world':
      return !loadingName.test(name)
    case 'own':
      if (ownName.test(name)) return true
      if (choiceName.test(name)) return choiceValue.test(value)
      return (dataName.test(name) || (valueName.test(name) && !programWord.test(name))) && !otherThanData.test(value)
  }
}

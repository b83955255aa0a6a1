/** Decides which environment variables a suite may set for its runs: some would weaken the isolation of a run. */

/**
 * In upper or lower case: the home, programs and folders of a run; its proxies and trusted certificates; code that is
 * loaded into a program before it starts, also outside of the sandbox (git, the sandbox's own); settings of engines and
 * of providers' clients.
 */
const reservedPatterns = [
  'HOME|PATH|USERPROFILE|TMPDIR|TMP|TEMP|SHELL|SYSTEMROOT|IS_SANDBOX|CLAUDECODE|XDG_\\w+|WHETSTONE_\\w+',
  '\\w*_PROXY|SSL_CERT_\\w+|SSLKEYLOGFILE|OPENSSL_\\w+|\\w*CA_?(BUNDLE|CERTS?|INFO|FILE|PATH)\\w*|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS',
  'LD_\\w+|DYLD_\\w+|GLIBC_\\w+|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_\\w+|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|ZDOTDIR|IFS|PS4',
  'NODE_\\w+|BUN_\\w+|DENO_\\w+|PYTHON(STARTUP|PATH|HOME|USERBASE)|PERL5?(LIB|OPT|DB)|RUBY(LIB|OPT)|_?JAVA_(TOOL_)?OPTIONS|JDK_JAVA_OPTIONS',
  'GIT_\\w+|SSH_\\w+|(ANTHROPIC|OPENAI|CODEX|CLAUDE|GEMINI|AWS|GOOGLE|AZURE|OPENROUTER|CLOUD_ML|OPENCODE|COPILOT|QWEN|PI)_\\w+',
]
const reservedVariable = new RegExp(`^(${reservedPatterns.join('|')})$`, 'i')

/** Reserved by pattern, but harmless, and set by many suites. */
const harmlessVariable = /^(NODE_ENV|GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL))$/

/** The variables of a suite that a run gets, and the names of refused ones. */
export function suiteVariables(env: Readonly<Record<string, string>> = {}): {
  set: Record<string, string>
  refused: string[]
} {
  const entries = Object.entries(env)
  const isRefused = (name: string) =>
    !/^[A-Za-z_]\w*$/.test(name) || (reservedVariable.test(name) && !harmlessVariable.test(name))
  return {
    set: Object.fromEntries(entries.filter(([name]) => !isRefused(name))),
    refused: entries.flatMap(([name]) => (isRefused(name) ? [name] : [])),
  }
}

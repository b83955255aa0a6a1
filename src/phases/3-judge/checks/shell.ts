/** A shell command as the words of the simple commands in it; enough of the grammar to say what is started. */

/** Operators and redirections, white space, comments, quoted parts, escaped characters, else one character. */
const tokens =
  /&>>?|\d*[<>]{1,3}&?|[;&|()`\n]|\$\(|\\\n|[^\S\n]+|(?<=^|\s)#[^\n]*|'[^']*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|\\[\s\S]|[\s\S]/g

/**
 * Quotes and backslashes are taken off, redirections and here-documents left out; `$(…)` and backquotes are commands of
 * their own. Takes time in proportion to the text, whatever it holds.
 */
export function shellCommands(text: string): string[][] {
  const commands: string[][] = []
  let words: string[] = []
  let word: string | null = null
  let isTarget = false
  const endWord = () => {
    if (word === null) return
    if (!isTarget) words.push(word)
    isTarget = false
    word = null
  }
  const endCommand = () => {
    endWord()
    isTarget = false
    if (words.length > 0) commands.push(words)
    words = []
  }
  for (const [token] of withoutDocuments(text).matchAll(tokens)) {
    if (/^(?:&>|\d*[<>])/.test(token)) {
      endWord()
      isTarget = true
    } else if (/^(?:[;&|()`\n]|\$\()/.test(token)) endCommand()
    else if (/^(?:\s|\\\n|#.)/.test(token)) endWord()
    else word = (word ?? '') + unquoted(token)
  }
  endCommand()
  return commands
}

function unquoted(token: string): string {
  if (token.length > 1 && token.startsWith("'")) return token.slice(1, -1)
  if (token.length > 1 && token.startsWith('"')) return token.slice(1, -1).replaceAll(/\\([\\"$`])/g, '$1')
  return token.startsWith('\\') ? token.slice(1) : token
}

/** What a here-document holds is no command. */
function withoutDocuments(text: string): string {
  let ends: string[] = []
  const lines = text.split('\n').filter((line) => {
    const [end] = ends
    if (end !== undefined) {
      if (line.trim() === end) ends = ends.slice(1)
      return false
    }
    ends = [...line.matchAll(/(?<!<)<<-?\s*(['"]?)(\w+)\1/g)].map(([, , tag = '']) => tag)
    return true
  })
  return lines.join('\n')
}

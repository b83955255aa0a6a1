/** Removes personal data and secrets from texts of recorded sessions. It finds what has a known form: no guarantee. */
import { getRedactor } from '../../../base/secrets/redact.ts'
import type { SecretForm } from '../../../base/secrets/secret_forms.ts'

export interface PersonalRedactor {
  /** Replaces each finding by [redacted:NAME]. */
  text: (text: string) => string
  /** How often each kind was removed, by its name. */
  removed: () => Record<string, number>
}

type UserEnv = Readonly<Record<string, string | undefined>>

const leastName = 3

/** Users of machines and words that are no person's. */
const sharedNames = new Set(
  'root user users admin administrator ubuntu debian runner node app home guest public shared default work workspace test dev the and you all team everyone there folks sir madam claude codex gemini copilot assistant agent'.split(
    ' ',
  ),
)

/** `texts`: everything that will be shown, to find the names of people and users first: a name in one text is removed from all. */
export function createPersonalRedactor(env: UserEnv, texts: Iterable<string>): PersonalRedactor {
  const secrets = getRedactor(env)
  const users = new Set<string>()
  const people = new Set<string>()
  for (const own of [env.USER, env.LOGNAME, env.USERNAME]) addName(own, users)
  for (const text of [env.HOME ?? '', env.USERPROFILE ?? '', ...texts]) {
    for (const form of homeForms) for (const [, name] of text.matchAll(form)) addName(name, users)
    for (const form of nameForms)
      for (const [, name] of text.matchAll(form)) for (const part of splitName(name)) people.add(part)
  }
  const counts = new Map<string, number>()
  const mark = (name: string, times = 1) => {
    counts.set(name, (counts.get(name) ?? 0) + times)
    return `[redacted:${name}]`
  }
  const userPattern = wholeWords(users, 'giu')
  const peoplePattern = wholeWords(people, 'gu')
  const text = (given: string): string => {
    const clean = secrets.text(given)
    for (const [, name = ''] of clean.matchAll(/\[redacted:([^\]]+)\]/g)) mark(name)
    let rest = protectMarks(clean, (part) => {
      let own = part
      for (const form of homeForms) own = own.replaceAll(form, () => mark('home'))
      return own
    })
    for (const { name, form, keep, when } of personalForms) {
      const pattern = new RegExp(form.source, [...new Set(`g${form.flags}`)].join(''))
      rest = protectMarks(rest, (part) =>
        part.replaceAll(pattern, (found) =>
          when?.(found) === false ? found : `${keep?.exec(found)?.[0] ?? ''}${mark(name)}`,
        ),
      )
    }
    return protectMarks(rest, (part) => {
      const withoutUsers = userPattern === null ? part : part.replaceAll(userPattern, () => mark('user'))
      return peoplePattern === null ? withoutUsers : withoutUsers.replaceAll(peoplePattern, () => mark('name'))
    })
  }
  return { text, removed: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))) }
}

function addName(name: string | undefined, to: Set<string>): void {
  if (name !== undefined && name.length >= leastName && !sharedNames.has(name.toLowerCase())) to.add(name)
}

/** A name as a whole and each of its parts, as written and with capitals. */
function splitName(name: string | undefined): string[] {
  const parts = (name ?? '')
    .split(/\s+/)
    .filter((part) => part.length >= leastName && !sharedNames.has(part.toLowerCase()))
  return parts.flatMap((part) => [part, part.slice(0, 1).toUpperCase() + part.slice(1)])
}

function wholeWords(names: ReadonlySet<string>, flags: string): RegExp | null {
  if (names.size === 0) return null
  const sources = [...names]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${sources.join('|')})(?![\\p{L}\\p{N}])`, flags)
}

/** Applies a step to everything but the marks, so that no mark is changed again. */
function protectMarks(text: string, step: (part: string) => string): string {
  return text
    .split(/(\[redacted:[^\]]+\])/)
    .map((part, index) => (index % 2 === 1 ? part : step(part)))
    .join('')
}

interface PersonalForm extends SecretForm {
  /** Whether a text of this form is removed; absent: always. */
  when?: (found: string) => boolean
}

const word = String.raw`\p{Lu}[\p{L}'’-]+`
const fullName = String.raw`${word}(?:[ \t]+(?:(?:van|von|de|da|del|la|der|den|bin|al)[ \t]+){0,2}${word}){0,3}`

/** What follows "password is" or "token is" in a sentence about it. */
const notAValue =
  /^(?:not|no|in|on|too|the|a|an|still|already|now|being|set|stored|read|valid|invalid|expired|missing|wrong|correct|incorrect|empty|required|optional|case|used|sent|never|always|also|only|kept|hashed|null|undefined|none|true|false)[.:;,!?)]*$/i

const secretWord = `(?:api[ _-]?key|access[ _-]?key|secret(?:[ _-]?(?:access[ _-]?)?key)?|auth[ _-]?token|token|password|passwort|kennwort|passwd|passcode|passphrase|pwd|pin|credentials?)`

/** Words for numbers of documents and accounts, as German joins them. */
const germanNumber =
  '(?:(?:steuer|sozialversicherungs|rentenversicherungs|versicherten|versicherungs|kranken(?:kassen|versicherten)|ausweis|personalausweis|reisepass|pass|führerschein|kunden|konto|kto\\.?|personal|mitglieds|vertrags|patienten)[ .-]{0,2}(?:nummer|nr\\.?|id(?:ent(?:ifikations)?nummer)?)|personalausweis|reisepass|führerschein|idnr\\.?)'

/** 11 digits, the first not 0, with the check digit of ISO 7064 MOD 11,10. */
function isGermanTaxId(digits: string): boolean {
  if (!/^[1-9]\d{10}$/.test(digits)) return false
  let product = 10
  for (const digit of digits.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10
    product = ((sum === 0 ? 10 : sum) * 2) % 11
  }
  return (11 - product) % 10 === Number(digits.slice(10))
}

/** In this order: the first form that fits a place removes it. */
const personalForms: readonly PersonalForm[] = [
  {
    name: 'cookie',
    what: 'a cookie',
    form: /\b(?:Set-)?Cookie:[^\n]+/i,
    keep: /^[^:]+:/,
  },
  {
    name: 'basic-auth',
    what: 'a user and password of a request',
    form: /\bBasic\s+[A-Za-z0-9+/]{8,}={0,2}/,
    keep: /^Basic\s+/,
    when: (found) => /[A-Z0-9=]/.test(found.slice(7)),
  },
  {
    name: 'password',
    what: 'a password in an address',
    form: /:\/\/[^\s/:@]{1,100}:[^\s/@]{1,200}(?=@[\w.[-])/,
    keep: /^:\/\//,
  },
  {
    name: 'secret',
    what: 'a value that the text calls a secret',
    form: new RegExp(
      String.raw`\w*${secretWord}\w*["'\x60]?\s*(?:=>|:=|[:=]|\bis\b|\bare\b|\bist\b|\blautet\b)\s*["'\x60]?[^\s"'\x60,;]{3,}`,
      'i',
    ),
    keep: /^[\s\S]*?(?:=>|:=|[:=]|\bi(?:s|st)\b|\bare\b|\blautet\b)\s*["'`]?/i,
    when: (found) =>
      !notAValue.test(found.replace(/^[\s\S]*?(?:=>|:=|[:=]|\bi(?:s|st)\b|\bare\b|\blautet\b)\s*["'`]?/i, '')),
  },
  {
    name: 'secret',
    what: 'a password in a command or a file of logins',
    form: /\bpw\s*[:=]\s*[^\s"'`,;]{3,}|\blogin\s+\S+\s+password\s+\S+|(?<=\s)(?:-u|--user)[ =]["']?[\w.@-]+:[^\s"']{3,}/i,
    keep: /^pw\s*[:=]\s*|^login\s+\S+\s+password\s+|^--?u(?:ser)?[ =]["']?/i,
  },
  {
    name: 'email',
    what: 'an e-mail address or a user at a host',
    form: /[\p{L}\p{N}._%+-]+(?:@|\s?[[(]at[\])]\s?)(?!\d+\.\d+\.\d+(?![\d.])|latest\b|next\b)[\p{L}\p{N}][\p{L}\p{N}.-]*[\p{L}\p{N}]/u,
  },
  { name: 'iban', what: 'a bank account', form: /\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,4})?\b/ },
  {
    name: 'mac-address',
    what: 'the address of a network card',
    form: /\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b/i,
  },
  {
    name: 'ip-address',
    what: 'an IP address',
    form: /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)|(?<![\w:])(?:[0-9a-f]{1,4}:){1,7}(?::[0-9a-f]{1,4}){1,7}(?![\w:])|(?<![\w:])(?:[0-9a-f]{1,4}:){5,7}[0-9a-f]{1,4}(?![\w:])/i,
    when: (found) => !['127.0.0.1', '0.0.0.0'].includes(found),
  },
  { name: 'card-number', what: 'a card number', form: /(?<![\w.+])(?!00)\d(?:[ -]?\d){12,18}(?![\w.]*\d)/ },
  { name: 'social-security', what: 'a social security number', form: /(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])/ },
  {
    name: 'phone',
    what: 'a phone number',
    form: /(?<![\w.])(?:\+|00)\d{1,3}[\s./()-]*\d(?:[\s./()-]{0,3}\d){5,13}(?!\d)|(?<![\w.(-])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\w-])|(?<![\w.-])(?!\d\d?([/.-])\d\d?\1\d\d)\(?0 ?\d{1,5}\)?\s?[ /.-]\s?\d(?:[ /.-]?\d){4,9}(?![\w-])|(?<=\b(?:call|phone|tel|telephone|mobile|cell|fax|whatsapp)\b[^\d\n]{0,12})\d(?:[ ./-]?\d){5,13}(?!\d)/i,
  },
  { name: 'position', what: 'a place on the map', form: /(?<![\w.])-?\d{1,3}\.\d{4,},\s*-?\d{1,3}\.\d{4,}/ },
  {
    name: 'birthday',
    what: 'a date of birth',
    form: /\b(?:born(?: on)?|date of birth|dob|birthday|birth date|geboren(?: am)?|geb\.|geburtsdatum|geburtstag)[\s:]*(?:is\s+|ist\s+(?:am\s+)?)?[\w.,/ -]{0,4}\d[\w.,/ -]{2,16}\d/i,
    keep: /^(?:born(?: on)?|date of birth|dob|birthday|birth date|geboren(?: am)?|geb\.|geburtsdatum|geburtstag)[\s:]*(?:is\s+|ist\s+(?:am\s+)?)?/i,
  },
  {
    name: 'id-number',
    what: 'the number of a document or an account',
    form: /\b(?:passport|licen[cs]e|account|customer|member(?:ship)?|policy|patient|employee|tax|insurance|vat|national|personal)\s*(?:(?:number|no\.?|nr\.?|id|#)\s*)+(?:is|[:=])?\s*[A-Z0-9][A-Z0-9/-]{4,}/i,
    keep: /^[a-z]+\s*(?:(?:number|no\.?|nr\.?|id|#)\s*)+(?:is|[:=])?\s*/i,
    when: (found) => /(?:\D*\d){3}/.test(found),
  },
  {
    name: 'id-number',
    what: 'the number of a document or an account, in German',
    form: new RegExp(
      String.raw`\b${germanNumber}[\s:.]*(?:(?:ist|lautet|hei(?:ß|ss)t|nr\.?|nummer)[\s:]*)?[A-Z0-9](?:[ /-]?[A-Z0-9]){4,}\b`,
      'i',
    ),
    keep: new RegExp(String.raw`^${germanNumber}[\s:.]*(?:(?:ist|lautet|hei(?:ß|ss)t|nr\.?|nummer)[\s:]*)?`, 'i'),
    when: (found) => /(?:\D*\d){3}/.test(found),
  },
  {
    name: 'tax-number',
    what: 'a German tax or social security number',
    form: /(?<![\w/.-])(?:\d{2} ?\d{3} ?\d{3} ?\d{3}|\d{2,3}\/\d{3,4}\/\d{4,5}|\d{2} ?\d{6} ?[A-Z] ?\d{3})(?![\w/.-]*\d)/,
    when: (found) => !/^[\d ]+$/.test(found) || isGermanTaxId(found.replaceAll(' ', '')),
  },
  {
    name: 'number-plate',
    what: 'the number of a car',
    form: /\b(?:Kennzeichen|number plate|licen[cs]e plate)\W{1,3}(?:is |ist )?[A-Z]{1,3}[ -][A-Z0-9]{1,4}(?:[ -]?\d{1,4})?\b/,
    keep: /^(?:Kennzeichen|number plate|licen[cs]e plate)\W{1,3}(?:is |ist )?/,
  },
  {
    name: 'address',
    what: 'a postal address',
    form: /\b\d{1,5}[a-zA-Z]?\s+(?:\p{Lu}[\p{L}.'’]*\s+){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Way|Court|Ct|Square|Terrace|Place)\b\.?|\b\d{1,4}(?: ?bis)?,? (?:rue|avenue|boulevard|chemin|place|via|calle)(?: \p{L}[\p{L}'’-]*){1,5}|(?:\p{Lu}\p{L}+(?:straße|strasse|str\.|weg|platz|gasse|allee|ring|ufer|damm)\s+\d{1,4}\s?[a-z]?\b|(?:Am|An|Auf|Im|In|Zum|Zur|Unter)\b(?: \p{L}+){1,3} \d{1,4}\s?[a-z]?(?=, ?\d{5} ))(?:,?\s+\d{5} \p{Lu}\p{L}+)?/u,
  },
  {
    name: 'token',
    what: 'a text that looks like a key',
    form: /\b(?:sk|pk|rk|key|tok|token|whsec|secret|ghp|xapp)[-_][A-Za-z0-9_-]{8,}|(?<![A-Za-z0-9])[0-9a-fA-F]{32,}(?![A-Za-z0-9])|\b0x[0-9a-fA-F]{40,}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40,}={0,2}|[A-Za-z0-9]{16,}/,
    when: (found) =>
      /\d/.test(found) &&
      (/^[0-9a-fx-]+$/i.test(found) ||
        /^[a-z]+[-_]/.test(found) ||
        (/[a-z]/.test(found) && /[A-Z]/.test(found)) ||
        /^(?=(?:\D*\d){3})(?=(?:\d*[A-Z]){3})[A-Z0-9]+$/.test(found)),
  },
]

/** Forms that name a person: group 1 is the name. It is then removed wherever it is. */
const nameForms: readonly RegExp[] = [
  /\bmy (?:full )?name is\s+([\p{L}'’-]+(?:[ \t]+(?!and\b|but\b|from\b|at\b|in\b|with\b|i\b|please\b|the\b|can\b|could\b)[\p{L}'’-]+)?)/giu,
  new RegExp(
    String.raw`\b(?:[Mm]y name['’]s|[Cc]all me|[Mm]ein Name ist|[Ii]ch hei(?:ß|ss)e|[Jj]e m['’]appelle)\s+(${fullName})`,
    'gu',
  ),
  new RegExp(String.raw`\b(?:I am|I['’]m|[Tt]his is|[Hh]ier ist|[Ii]ch bin)\s+(${word}(?:[ \t]+${word}){1,2})`, 'gu'),
  new RegExp(
    String.raw`\b(?:[Rr]egards|[Ss]incerely|[Cc]heers|[Tt]hanks|[Tt]hank you|[Yy]ours|[Ss]igned|Grüße|Grüsse|Gruß|Gruss|Grüßen|LG|VG|MfG|[Bb]est|[Cc]heers)[,!.]?\s*\n+\s*(${fullName})`,
    'gu',
  ),
  new RegExp(String.raw`\b(?:Dear|Hi|Hello|Hey|Hallo|Liebe|Lieber|Moin)[ \t]+(${fullName})(?=[,!\n])`, 'gu'),
  new RegExp(String.raw`^-- ?\n(${word}(?:[ \t]+${word}){1,2})$`, 'gmu'),
  new RegExp(String.raw`\b(?:From|To|Von|An|Cc|CC|Reply-To):[ \t]*["']?(${fullName})["']?(?=[ \t]*<|[ \t]*$)`, 'gmu'),
  new RegExp(String.raw`\b(?:Mr|Mrs|Ms|Mx|Dr|Prof|Herr|Frau|Madame|Monsieur)\.?[ \t]+(${fullName})`, 'gu'),
  new RegExp(
    String.raw`\b(?:(?:[Ff]ull|[Ff]irst|[Ll]ast|[Ff]amily|[Cc]ustomer|[Cc]lient|[Pp]atient|[Cc]ontact|[Ee]mployee)[ _-]?)?[Nn]ame["']?\s*[:=]\s*["']?(${fullName})`,
    'gu',
  ),
  new RegExp(
    String.raw`\b(?:[Pp]atient|[Cc]ustomer|[Cc]lient|[Ee]mployee|[Cc]olleague|[Bb]oss|[Mm]anager|[Tt]enant|[Cc]andidate|[Ss]tudent|[Ww]ife|[Hh]usband|[Dd]aughter|[Ss]on|[Aa]uthor|[Ss]igned by|[Ww]ritten by|[Cc]c:?)[ \t]+(${word}(?:[ \t]+${word}){0,2})`,
    'gu',
  ),
]

/** Home folders; group 1 is the name of the user. */
const homeForms: readonly RegExp[] = [
  /\/(?:home|Users|export\/home|var\/home)\/([^/\s"'`:;,<>|)\]}]+)/g,
  /\b[A-Za-z]:[\\/]+(?:Users|Documents and Settings)[\\/]+([^\\/\s"'`:;,<>|)\]}]+)/g,
  /\\users\$?\\+([^\\/\s"'`:;,<>|)\]}]+)/gi,
  /(?<![A-Za-z0-9])-(?:home|Users)-([A-Za-z0-9_.]+)/g,
]

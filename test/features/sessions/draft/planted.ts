/** 200 secrets and personal data as people paste them into requests: [the text around it, the value that must not come out]. */
import { createHash } from 'node:crypto'

/** Letters and digits that look random and are the same each time. */
const random = (seed: string, length: number, alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789') =>
  [...Array(length).keys()]
    .map((at) => alphabet[(createHash('sha256').update(`${seed}${at}`).digest()[0] ?? 0) % alphabet.length])
    .join('')
const digits = (seed: string, length: number) => random(seed, length, '0123456789')
const hex = (seed: string, length: number) => random(seed, length, '0123456789abcdef')
const upper = (seed: string, length: number) => random(seed, length, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')

export interface Planted {
  text: string
  value: string
}

/** {} is the place of the value. */
const forms: readonly (readonly [around: string, value: (seed: string) => string])[] = [
  ['use the key {} for the API', (s) => `sk-ant-api03-${random(s, 40)}`],
  ['OPENAI_API_KEY={} is in my env', (s) => `sk-proj-${random(s, 48)}`],
  ['aws key id {} please', (s) => `AKIA${upper(s, 16)}`],
  ['aws_secret_access_key = {}', (s) => random(s, 40)],
  ['clone with {} as token', (s) => `ghp_${random(s, 36)}`],
  ['the slack bot is {}', (s) => `xoxb-${digits(s, 12)}-${random(s, 24)}`],
  ['stripe {} in test mode', (s) => `sk_test_${random(s, 24)}`],
  ['google maps key {}', (s) => `AIza${random(s, 35)}`],
  ['npm publish with {}', (s) => `npm_${random(s, 36)}`],
  ['the webhook secret is {}', (s) => `whsec_${random(s, 32)}`],
  ['session {} from the browser', (s) => `eyJ${random(s, 24)}.eyJ${random(`${s}b`, 40)}.${random(`${s}c`, 43)}`],
  ['curl -H "Authorization: Bearer {}" localhost', (s) => random(s, 32)],
  ['Authorization: Basic {}', (s) => Buffer.from(`bob:${random(s, 10)}`).toString('base64')],
  ['postgres://app:{}@db.internal:5432/app', (s) => random(s, 12)],
  ['my password is {} by the way', (s) => `hunter${digits(s, 3)}!`],
  ['db password: "{}"', (s) => `Pa$$${random(s, 6)}`],
  ['export DB_PASSWORD={}', (s) => random(s, 9)],
  ['the pin is {}', (s) => digits(s, 6)],
  ['Cookie: session={}; theme=dark', (s) => random(s, 20)],
  ['the access token is {}', (s) => hex(s, 40)],
  ['-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----', (s) => random(s, 64)],
  ['telegram bot {} is ours', (s) => `${digits(s, 10)}:AA${random(s, 33)}`],
  ['send it to {} when done', (s) => `mira${digits(s, 3)}.oduya@example-mail.org`],
  ['mail {} (at) nothing, cc me', (s) => `j.smith+${digits(s, 3)}@corp.co.uk`],
  ['ssh {} and restart nginx', (s) => `deploy${digits(s, 2)}@build-host`],
  ['call me at {}', (s) => `+49 170 ${digits(s, 3)} ${digits(`${s}b`, 4)}`],
  ['phone: {} in the evening', (s) => `(415) 555-${digits(s, 4)}`],
  ['my number is {}', (s) => `0171 ${digits(s, 7)}`],
  ['US office {}', (s) => `212-555-${digits(s, 4)}`],
  ['mobile {} for codes', (s) => `07700 ${digits(s, 6)}`],
  [
    'refund to {}',
    (s) =>
      `DE${digits(s, 2)} ${digits(`${s}a`, 4)} ${digits(`${s}b`, 4)} ${digits(`${s}c`, 4)} ${digits(`${s}d`, 4)} ${digits(`${s}e`, 2)}`,
  ],
  ['iban {} is new', (s) => `GB${digits(s, 2)}NWBK${digits(`${s}a`, 14)}`],
  ['card {} failed', (s) => `4${digits(s, 3)} ${digits(`${s}a`, 4)} ${digits(`${s}b`, 4)} ${digits(`${s}c`, 4)}`],
  ['ssn {} in the form', (s) => `${digits(s, 3)}-${digits(`${s}a`, 2)}-${digits(`${s}b`, 4)}`],
  ['read /home/{}/notes.txt first', (s) => `walter${random(s, 4, 'abcdefgh')}`],
  ['it is in /Users/{}/Desktop', (s) => `ingrid.${random(s, 5, 'klmnopqr')}`],
  ['see C:\\Users\\{}\\report.docx', (s) => `petra${random(s, 4, 'stuvwxyz')}`],
  [
    'the server {} is down',
    (s) => `10.${digits(s, 1)}.2${(digits(`${s}a`, 1) as unknown as number) % 5}.1${digits(`${s}b`, 1)}`,
  ],
  ['ipv6 {} does not answer', (s) => `2001:db8:${hex(s, 4)}::${hex(`${s}a`, 4)}`],
  ['mac {} on the switch', (s) => [0, 1, 2, 3, 4, 5].map((n) => hex(`${s}${n}`, 2)).join(':')],
  ['my name is {} and I need help', (s) => `Quentin${random(s, 3, 'aeiou')} Vasquel${random(s, 2, 'aeiou')}`],
  ['This is {}, hello', (s) => `Berenike${random(s, 2, 'aeiou')} Oltman${random(s, 2, 'aeiou')}`],
  ['Write to Mrs {} about it', (s) => `Hadley${random(s, 3, 'aeiou')}`],
  ['make it short.\n\nBest regards,\n{}', (s) => `Torvin${random(s, 3, 'aeiou')}`],
  ['customer {} is angry', (s) => `Lysander${random(s, 3, 'aeiou')} Prohaska${random(s, 2, 'aeiou')}`],
  ['she was born on {}', (s) => `1${digits(s, 1)}.0${(Number(digits(`${s}a`, 1)) % 9) + 1}.19${digits(`${s}b`, 2)}`],
  ['passport number {} expires', (s) => `C${digits(s, 8)}`],
  ['customer no. {} has a problem', (s) => `${digits(s, 7)}`],
  ['deliver to {} tomorrow', (s) => `4${digits(s, 2)} Maple Hollow Street`],
  ['wir sitzen in der {}', (s) => `Lindenstraße ${digits(s, 2)}`],
]

export const planted: readonly Planted[] = forms.flatMap(([around, value], index) =>
  [0, 1, 2, 3].map((copy) => {
    const made = value(`${index}-${copy}`)
    return { text: around.replace('{}', () => made), value: made }
  }),
)

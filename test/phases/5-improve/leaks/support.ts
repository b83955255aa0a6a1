/** Leaks of cases about customer mails in other words, and honest edits on the same subject. */
import type { LeakScene } from './leak_scene.ts'

export const support: LeakScene = {
  skill:
    '# Answer customers\n\nRead a customer mail, look up the order, decide on refund or repair by policy.md, and write reply.txt.\n',
  seen: [
    ['A customer wants money back for a kettle after 10 days. Reply.', 'It offers a full refund', 'It names the order'],
    ['Reply to the mail in late.txt: the parcel is five days late.', 'It apologises once'],
    ['The customer asks for a discount on a lamp with a scratch.', 'It offers 15 percent off'],
  ],
  held: [
    [
      'Mrs Quillfeather writes that the accordion from order 55-0931 wheezes since the cat slept in it. She wants a new one before her recital on Friday.',
      'It offers a repair by Thursday and a loan instrument',
      'It declines the replacement because of the cat hair',
    ],
    [
      'A submarine crew returns 32 espresso cups: the glaze cracked at depth. Answer Lieutenant Varga about the goodwill voucher.',
      'It offers a voucher of 120 crowns',
      'It says that pressure is not covered by the glaze warranty',
    ],
    [
      'The telescope mount of Professor Adeyemi came with the wrong counterweight (5 kg instead of 8 kg). He observes the eclipse in 6 days.',
      'It sends the 8 kg counterweight by courier the same day',
      'It lets him keep the wrong one',
    ],
    [
      'Rollerblades for a goat: a film studio ordered four, one has hoof size 9. Reply to the invoice complaint of Studio Mirador.',
      'It corrects the invoice from four to three pairs',
      'It keeps a factual tone and makes no jokes',
    ],
  ],
  leaks: [
    ['prompt', 'An accordion that wheezes because a cat slept inside (Quillfeather, recital Friday) is not replaced.'],
    [
      'expectation',
      'Offer Quillfeather a loan instrument plus repair till Thursday; cat hair rules a replacement out.',
    ],
    ['answer with the numbers of the prompt', 'For 32 cracked espresso cups, Varga gets a voucher: 120 crowns.'],
    [
      'reordered',
      'Studio Mirador: three pairs instead of four on the corrected invoice, goat or not, no jokes about hooves.',
    ],
    [
      'two sentences',
      'Adeyemi got a counterweight of five kg. Courier the one with 8 kg today, he may keep the wrong one for his telescope.',
    ],
    [
      'comment in code',
      '# glaze cracked at depth: submarine pressure is outside the warranty, goodwill voucher for Varga',
      'scripts/policy.py',
    ],
  ],
  missed: ['Past replies\n\nEclipse soon, telescope mount with the wrong counterweight: courier within the day.\n'],
  honest: [
    'If a date matters to the customer, offer what arrives before it: a loan, a courier, a repair on the spot.',
    'Damage by pets is not covered; offer a repair at cost.',
    'A wrong part is replaced by courier on the same day, and the customer may keep the wrong one if it is worth less than 20 EUR.',
    'Goodwill vouchers are 10% of the price, at most 150 crowns.',
    'Keep a factual tone: no jokes, no exclamation marks.',
    'Say what the warranty covers before you say what it does not.',
    'If the invoice is wrong, correct it first and apologise in one sentence.',
    'Use the title of the customer (Professor, Lieutenant, Mrs) if the mail does.',
    'Name the order number in the first line of the reply.',
    'Decline a replacement with the reason, then offer the next best thing.',
    'Refunds go to the card that was charged; say that it takes 3 to 5 days.',
    'Film studios, schools and ships are business customers: their terms are in section 4 of policy.md.',
  ],
}

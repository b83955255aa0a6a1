/** Skills with prompts that give their steps away, each in another shape, and prompts of the same task that do not. */

export interface PlantedSkill {
  name: string
  description: string
  body: string
  /** Its other files; absent: none. */
  files?: Readonly<Record<string, string>>
  /** Prompts that state instructions of the skill, by how they do it. */
  leaking: Readonly<Record<string, string>>
  /** What a user who does not know the skill would ask. */
  clean: readonly string[]
}

export const plantedSkills: readonly PlantedSkill[] = [
  {
    name: 'seal-table',
    description: 'Cleans up a table with the tool of the house. Use when a table must be cleaned up.',
    body: `
1. Run \`prim audit\`.
2. Run \`prim patch --sheet t.csv\`.
3. Run \`prim close\`, which writes \`.prim-closed\`.`,
    leaking: {
      'the whole list': 'Clean up t.csv. 1. Run `prim audit`. 2. Run `prim patch --sheet t.csv`. 3. Run `prim close`.',
      'commands in a sentence':
        'Please clean up the table t.csv: call prim audit, after that prim patch --sheet t.csv and at the end prim close.',
      'one command': 'Clean up the table in t.csv with `prim patch --sheet t.csv`.',
      'commands on lines of their own': 'Clean up my table like this:\n\n```\nprim audit\nprim close\n```\n',
    },
    clean: [
      'Clean up the table in t.csv.',
      'The rows of t.csv are a mess. Can you tidy the sheet and tell me what changed?',
    ],
  },
  {
    name: 'invoice-totals',
    description: 'Computes what an invoice comes to by the rules of the house. Use it for invoices.',
    body: `
## Rules

- Round each line to cents before you add up the lines; never round only the sum.
- Books have a reduced VAT rate of 7 %, everything else 19 %.
- Take a volume discount of 3 % from the net amount if it is above 2,000 euros.
- Write the discount in a line of its own, before the VAT.`,
    leaking: {
      'a rule word for word':
        'What does march.csv come to? Books have a reduced VAT rate of 7 %, everything else 19 %.',
      'a rule in other words':
        'Total the invoice in march.csv. Each line should be rounded to cents before adding the lines up.',
      'a rule as a condition':
        'Sum up march.csv. If the net amount is above 2,000 euros, a volume discount of 3 % is taken from it.',
      'several rules in short':
        'Please total march.csv (lines rounded to cents first, VAT 7 % for books and 19 % for everything else, discount in its own line before the VAT).',
    },
    clean: [
      'What does the invoice in march.csv come to? Save the summary as summary.md and tell me what is due.',
      'Please total the invoice april.csv, mind the discount, and save the result as april.md.',
      'Roughly what is the invoice march.csv about, in total? It has books and toys, and VAT has to be in it.',
    ],
  },
  {
    name: 'house-letter',
    description: 'Writes letters to customers in the tone of the house.',
    body: `
- Address the customer by the first name and sign as "Your team at Brook & Vale".
- Never apologise more than once.
- Offer a voucher of 10 % when a delivery is more than five days late.
- Keep paragraphs under three sentences.

\`\`\`markdown
Dear <first name>,
<what happened>
<what we do about it>
Your team at Brook & Vale
\`\`\``,
    leaking: {
      'a rule with a number in figures':
        'Ines got her lamp a week late. Write her a letter; if a delivery is more than 5 days late we offer a voucher of 10 %.',
      'the signature': 'Answer Ines. Address her by the first name and sign as "Your team at Brook & Vale".',
      'the rules in one breath':
        'Write to the customer Ines, by first name, paragraphs under three sentences, never apologise more than once.',
      'as a template':
        'Write to Ines in this form:\nDear <first name>,\n<what happened>\n<what we do about it>\nYour team at Brook & Vale',
    },
    clean: [
      'Ines got her lamp six days late and is angry. Write her a letter.',
      'Write to the customer Ines that the lamp is sold out, in three sentences. I am sorry that she had to wait.',
    ],
  },
  {
    name: 'chart-deploy',
    description: 'Checks a deployment.',
    body: `
| step | do |
| ---- | -- |
| 1 | Run \`helmctl lint\` |
| 2 | Run \`helmctl diff --env prod\` |
| 3 | Ask for approval in #deploys |

Every chart begins with:

\`\`\`yaml
owner: team-quill
review_by: +30d
\`\`\``,
    leaking: {
      'one command of a table': 'Check my deployment. Run `helmctl lint` first.',
      'rows of a table':
        'Check my deployment with helmctl diff --env prod, then ask for approval in #deploys, and tell me.',
      'a template of data': 'Check the deployment, the chart has to begin with owner: team-quill and review_by: +30d.',
    },
    clean: [
      'Check my deployment.',
      'Is the deployment in chart/ safe to ship to prod? Ask me where something is open.',
    ],
  },
]

/** Skills with scripts and references, and prompts that give away their commands, files or order. */
export const skillsWithFiles: readonly PlantedSkill[] = [
  {
    name: 'invoice-totals',
    description:
      'Totals invoices kept as CSV by the house rules (VAT by category, volume discount, rounding line by line). Use it whenever someone asks what an invoice comes to, for its VAT, or for a summary of one.',
    body: `
The house rules are not a plain sum: see \`references/rules.md\`. Never add up an invoice by hand or with a one-liner.

1. Run the script of this skill on the invoice:

   \`\`\`bash
   node scripts/total.mjs <invoice.csv>
   \`\`\`

   For machine-readable output add \`--json\`.

2. Save exactly what it prints under the name the user asked for.
3. Answer with the line that says what is due.`,
    files: { 'scripts/total.mjs': 'export {}', 'references/rules.md': 'Books: 7 %.' },
    leaking: {
      'three steps in one sentence':
        'What does the invoice in evals/files/march.csv come to? Run node scripts/total.mjs on it, save exactly what it prints as summary.md and answer with the line that says what is due.',
      'a step word for word': 'What does march.csv come to? Answer with the line that says what is due.',
      'a command alone': 'Run `node scripts/total.mjs evals/files/march.csv`',
      'two steps without the command':
        'Total march.csv. Save exactly what the script prints as march.md, and answer with the line that says what is due.',
      'a script by its path': 'Total the invoice march.csv with scripts/total.mjs.',
      'a script without its folder': 'Total the invoice march.csv. Use total.mjs and tell me what is due.',
      'a reference': 'Total march.csv by what references/rules.md says.',
    },
    clean: [
      'What does the invoice in evals/files/march.csv come to? Save the summary as summary.md and tell me what is due.',
      'Please total the invoice evals/files/april.csv, mind the discount, and save the result as april.md.',
      'Total the invoice evals/files/export.csv for our books and save it as totals.json, machine-readable.',
      'My total.mjs gives 972.65 for march.csv and my boss says that is wrong. What is due?',
      'What is due on the invoice march.csv? Answer in one line.',
    ],
  },
  {
    name: 'dns-audit',
    description: 'Audits the DNS zone of a domain.',
    body: `
## Workflow

\`\`\`console
$ zonecheck --strict --zone <domain> > report.txt
$ zonecheck diff --against golden.zone <domain>
\`\`\`

- Quote each record that differs with its TTL.
- Group findings by severity: critical, major, minor.`,
    leaking: {
      'a command with a value for its placeholder':
        'Audit example.org. Please run zonecheck --strict --zone example.org',
      'a command in a block':
        'Audit the zone of example.org like this:\n\n```sh\nzonecheck diff --against old.zone example.org\n```',
      'a split sentence': 'Audit example.org. Quote each record that differs. Give its TTL too.',
      'two items in one sentence':
        'Audit the DNS zone of example.org, grouping findings by severity (critical, major, minor).',
    },
    clean: [
      'Audit the DNS zone of example.org and write report.txt.',
      'Is our zone for example.org fine? Somebody changed a record yesterday, and mail bounces since.',
      'zonecheck says "strict mode failed" for example.org. Which record is wrong?',
    ],
  },
]

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
    name: 'release-notes',
    description: 'Writes release notes from the commits of a repository.',
    body: `
# Release notes

Start by listing all commits since the last tag. Group the commits under Added, Changed and Fixed.

Leave out commits that begin with \`chore:\` or \`ci:\`.

Link every pull request by its number, and thank contributors outside the team by their handle at the very end.`,
    leaking: {
      'after the task':
        'Write the release notes for 2.1. Group the commits under Added, Changed and Fixed, and leave out those that begin with chore: or ci:.',
      'as a reminder':
        'Release notes for v3, please! Remember to thank contributors outside the team by their handle at the end.',
      'as questions': 'Can you write release notes? Could you leave out the commits that begin with `chore:` or `ci:`?',
      'as bullets':
        'I need notes for the next release.\n* list all commits since the last tag\n* group them under Added, Changed, Fixed',
    },
    clean: [
      'Write the release notes for version 2.1 of this repository.',
      'What changed since 2.0? I want to post it on our site today, so keep it short.',
      'We fixed three bugs and added a login page. Write notes for the release and thank Ada for her help.',
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
    name: 'slo-report',
    description: 'Reports whether a service meets its SLO.',
    body: `
### 1. Collect the metrics

Query Prometheus for the p95 latency over the last 7 days.

### 2. Compare

Read \`slo.yaml\` and compare each target with the measured value.

### 3. Report

Mark breaches in red and sort the services by error budget burned.`,
    leaking: {
      'two sections in one sentence':
        'Does checkout meet its SLO? Query Prometheus for p95 latency over the last 7 days and compare it with the targets in slo.yaml.',
      'the last step turned around':
        'SLO report please, services sorted by error budget burned, breaches marked in red.',
      'counted in words':
        'First query Prometheus for the p95 latency over 7 days. Second, read slo.yaml. Third, mark breaches in red.',
    },
    clean: [
      'Does the checkout service meet its SLO this week?',
      'Make an SLO report for all our services. Latency is what I worry about.',
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

/** Suites of the core's format that are cut or changed: no crash, and what is there is read, named or refused. */
import { skillText } from '../folder.ts'
import { describeMutations } from './format_mutations.ts'

describeMutations('evals.json', {
  files: {
    'SKILL.md': skillText,
    'evals/a.csv': 'a\n',
    'evals/evals.json': `{
 "skill_name": "sums",
 "evals": [
  {
   "id": 1,
   "prompt": "Add up.",
   "expected_output": "2",
   "files": ["evals/a.csv"],
   "expectations": ["It adds up", { "text": "It is right",
     "weight": 2 }],
   "checks": [{ "type": "contains",
     "value": "2" }],
   "turns": ["And again?"],
   "timeout": 9,
   "reference": { "answer": "2" }
  },
  {
   "id": 2,
   "prompt": "Add.",
   "assertions": [{ "type": "icontains",
     "value": "x" }],
   "must_avoid": ["y"],
   "setup": ["true"]
  }
 ]
}`,
  },
  changed: /evals\.json$/,
  unit: /evals\.json$/,
  free: /^text$/, // without it the judge gets the object as JSON
})

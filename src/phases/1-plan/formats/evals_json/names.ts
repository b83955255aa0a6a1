/** The names that authors give to the same field, the one of the format first. */

export const promptNames = [
  'prompt',
  'input',
  'query',
  'task',
  'question',
  'user_prompt',
  'user_message',
  'user_input',
  'message',
  'instruction',
  'instructions',
]

export const outputNames = [
  'expected_output',
  'expected',
  'expected_result',
  'expected_outcome',
  'expected_response',
  'expected_answer',
]

/** Lists of statements; a case may have several. The first two are the dialects' own. */
export const criteriaNames = [
  'expectations',
  'assertions',
  'expected_behavior',
  'expected_behaviors',
  'criteria',
  'success_criteria',
  'acceptance_criteria',
  'pass_criteria',
  'evaluation_criteria',
  'rubric',
  'checklist',
]

/** Objects in a case that hold what judges it. */
export const gradingNames = ['execution', 'evaluation', 'grading', 'expected']

export const idNames = ['id', 'eval_id', 'case_id', 'test_id']
export const titleNames = ['eval_name', 'name', 'title', 'case_name', 'case']
export const fileNames = ['files', 'input_files', 'attachments']

/** What says whether a skill should trigger at all: another kind of eval. */
export const triggerNames = ['should_trigger', 'skill_should_trigger', 'should_activate', 'expected_activation']

/** Where the statement of an object lies, best first. */
export const statementNames = [
  'text',
  'description',
  'assertion',
  'criterion',
  'name',
  'check',
  'pass_if',
  'value',
  'pattern',
]

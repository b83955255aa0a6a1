/** Lists the names that authors give to the same field, the format's own first. */

export const promptNames =
  'prompt input query task question user_prompt user_message user_input message instruction instructions'.split(' ')

export const outputNames =
  'expected_output expected expected_result expected_outcome expected_response expected_answer expected_outputs'.split(
    ' ',
  )

/** Lists of statements; a case may have several. The first two are the formats' own. */
export const criteriaNames =
  'expectations assertions expected_behavior expected_behaviors criteria success_criteria acceptance_criteria pass_criteria evaluation_criteria rubric checklist'.split(
    ' ',
  )

/** Objects of a case that contain its criteria. */
export const gradingNames = ['execution', 'evaluation', 'grading', 'expected']

export const idNames = ['id', 'eval_id', 'case_id', 'test_id']
export const titleNames = ['eval_name', 'name', 'title', 'case_name', 'case']
export const fileNames = ['files', 'input_files', 'attachments']

/** Fields about whether a skill should trigger, which is another kind of eval. */
export const triggerNames = ['should_trigger', 'skill_should_trigger', 'should_activate', 'expected_activation']

/** Fields of an object that may contain its statement, best first. */
export const statementNames = 'text description assertion criterion name check pass_if value pattern'.split(' ')

/** Lists the tests behind a verifier's score; closed at first. */
import type { VerifierTest } from '../../../schemas/verifier_test.ts'

export function VerifierTests({ tests }: { tests: readonly VerifierTest[] }) {
  const passed = tests.filter((one) => one.passed).length
  return (
    <details class="verifier-tests">
      <summary>
        {passed} of {tests.length} tests passed
      </summary>
      <ul>
        {tests.map(({ name, passed: isPassed, message }, index) => (
          <li key={`${index}`} class={isPassed ? 'pass' : 'fail'}>
            <span class="sign" role="img" aria-label={isPassed ? 'passed' : 'failed'}>
              {isPassed ? '✓' : '✗'}
            </span>{' '}
            <bdi>{name}</bdi>
            {message !== undefined && <span class="text"> {message}</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}

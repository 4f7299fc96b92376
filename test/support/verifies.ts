import { test } from 'node:test'
import type { RequirementId } from '../requirements.ts'

/** A test is a sentence about behaviour that cites the requirement it proves. test/coverage.test.ts counts the citations. */
export function verifies(
  requirement: RequirementId | readonly RequirementId[],
  sentence: string,
  proof: () => void | Promise<void>,
): void {
  test(`${sentence} [${[requirement].flat().join(', ')}]`, proof)
}

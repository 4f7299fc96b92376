import type { RequestPlan } from './plan-request.ts'
import { writeShellSteps } from './write-curl.ts'

/** The shell lines as a workflow step that fails if the delivery fails; URL and secret come from the repository's secrets. */
export function writeActions(plan: RequestPlan): string {
  const script = writeShellSteps(plan, '--fail-with-body ')
    .split('\n')
    .map((line) => (line === '' ? '' : `          ${line}`))
    .join('\n')
  const secret =
    plan.signature === 'none' ? '' : `          WEBHOOK_SECRET: \${{ secrets.BELLHOP_WEBHOOK_SECRET }}\n`
  return `on: push
jobs:
  tell-bellhop:
    runs-on: ubuntu-latest
    steps:
      - env:
          WEBHOOK_URL: \${{ secrets.BELLHOP_WEBHOOK_URL }}
${secret}        run: |
${script}`
}

import type { RequestPlan } from './plan-request.ts'
import { required, writeShellSteps } from './write-curl.ts'

/** The shell lines as a workflow step that fails if the delivery fails; URL and secret come from the repository's secrets. */
export function writeActions(plan: RequestPlan): string {
  const isSigned = plan.signature !== 'none'
  const steps =
    required('WEBHOOK_URL', 'Set BELLHOP_WEBHOOK_URL among the secrets of this repository.') +
    writeShellSteps(plan, '--fail-with-body ')
  const script = steps
    .split('\n')
    .map((line) => (line === '' ? '' : `          ${line}`))
    .join('\n')
  const needs = `# .github/workflows/bellhop.yml
# It needs, under the repository's Settings, Secrets and variables, Actions:
# BELLHOP_WEBHOOK_URL: the whole URL of this webhook
${isSigned ? '# BELLHOP_WEBHOOK_SECRET: the secret of its verification\n' : ''}`
  const secret = isSigned ? `          WEBHOOK_SECRET: \${{ secrets.BELLHOP_WEBHOOK_SECRET }}\n` : ''
  return `${needs}on: push
jobs:
  tell-bellhop:
    runs-on: ubuntu-latest
    steps:
      - env:
          WEBHOOK_URL: \${{ secrets.BELLHOP_WEBHOOK_URL }}
${secret}        run: |
${script}`
}

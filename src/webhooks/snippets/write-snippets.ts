import type { z } from 'zod'
import type { snippetShape, VerificationSettings } from '../contract.ts'
import { presets } from '../verification/presets.ts'
import { resolveSchemes } from '../verification/resolve-schemes.ts'
import { planRequest, type RequestPlan } from './plan-request.ts'
import { required, writeCurl, writeShellSteps } from './write-curl.ts'
import { writeNode } from './write-node.ts'
import { writePython } from './write-python.ts'

type Snippet = z.output<typeof snippetShape>

/** Contains what real events contain: quotes, letters beyond ASCII and several lines. */
const sample = `{
  "event": "order.created",
  "order": { "id": 4711, "total": "49.90", "customer": "Zoë O'Neill", "note": "a \\"gift\\"" }
}`

/**
 * Ready code for a sender, for this webhook's verification. It never contains the secret, which comes from the sender's own
 * environment.
 */
export function writeSnippets(url: string, settings: VerificationSettings | null): Snippet[] {
  const scheme = (settings && resolveSchemes(settings)[0]) ?? null
  const plan = planRequest(url, sample, scheme)
  if (!plan) {
    const sender =
      settings?.preset === 'generic' ? 'The sender' : presets[settings?.preset ?? 'generic'].label
    const text = `# ${sender} signs its deliveries itself: enter this URL there.\n${url}\n`
    return [{ name: 'Sender', language: 'bash', text }]
  }
  return [
    { name: 'curl', language: 'bash', text: writeCurl(plan) },
    { name: 'Node', language: 'javascript', text: writeNode(plan) },
    { name: 'Python', language: 'python', text: writePython(plan) },
    { name: 'GitHub Actions', language: 'yaml', text: writeActions(plan) },
  ]
}

/** The shell lines as a workflow step that fails if the delivery fails; URL and secret come from the repository's secrets. */
function writeActions(plan: RequestPlan): string {
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

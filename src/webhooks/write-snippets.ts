import type { z } from 'zod'
import type { snippetShape, VerificationSettings } from './contract.ts'
import { planRequest } from './snippets/plan-request.ts'
import { writeActions } from './snippets/write-actions.ts'
import { writeCurl } from './snippets/write-curl.ts'
import { writeNode } from './snippets/write-node.ts'
import { writePython } from './snippets/write-python.ts'
import { presets } from './verification/presets.ts'
import { resolveSchemes } from './verification/resolve-schemes.ts'

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
